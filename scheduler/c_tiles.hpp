// SPDX-License-Identifier: BSD-3-Clause
// Tiles of C on their way to a device and back.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/options.hpp"

namespace foretile {

/// C of a block gets its place when the block's turn comes, and each tile is written back after its last
/// product.
class CTiles {
 public:
  CTiles(const PlanFrame& frame, const Contraction& contraction, const SchedulerOptions& options,
         Backend& backend, Operations& operations)
      : frame_(frame), problem_(contraction), options_(options), backend_(backend), operations_(operations) {}

  /// `first_open_step` of the rank; says something with barriers only.
  void place(DeviceQueue& queue, Device device, Step first_open_step);
  /// With Store::lru only where the device's memory was full, or nothing else is left to do.
  void advance_stores(DeviceQueue& queue, Device device);
  void store_done(DeviceQueue& queue, const Copy& store);
  /// Frees the memory of what is written back.
  void drop_stored(DeviceQueue& queue, Device device);

 private:
  bool may_store(DeviceQueue& queue) const;
  void place(DeviceQueue& queue, Device device, BlockWork& block);
  bool load(DeviceQueue& queue, Device device, BlockWork& block);
  bool last_block_left(DeviceQueue& queue, Device device, const BlockWork& block, Step first_open_step);

  const PlanFrame& frame_;
  const Contraction& problem_;
  const SchedulerOptions& options_;
  Backend& backend_;
  Operations& operations_;
};

}  // namespace foretile
