// SPDX-License-Identifier: BSD-3-Clause
// A caller's memory, page-locked for the time of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/gpu/gpu.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

struct HostRange {
  std::byte* begin = nullptr;
  std::int64_t bytes = 0;
  bool read_only = false;  ///< it is not written while it is registered, and perhaps cannot be
};

/// The pages that hold the ranges, joined where they touch, in order.
std::vector<HostRange> whole_pages(std::vector<HostRange> ranges, std::int64_t page_bytes);

/// The tiles in place that the rank's devices copy from or to: own ones of A and B, and those of C that come
/// written back there. None with gaps, which a run copies to memory of its own.
std::vector<HostRange> callers_tiles(const Contraction& contraction, const PlanFrame& frame,
                                     const RankPlan& plan, Rank rank, const TileStorage& storage);

/// Without this, devices copy from a caller's memory through the driver's own buffers, and the call that
/// begins the copy waits for its end. Memory that the system does not lock stays as it is.
class RegisteredMemory {
 public:
  /// `gpus` must outlive this, and so must the memory.
  RegisteredMemory(Gpus& gpus, std::vector<HostRange> ranges);
  ~RegisteredMemory();
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  std::int64_t refused_bytes() const { return refused_bytes_; }

 private:
  Gpus& gpus_;
  std::vector<std::byte*> registered_;
  std::int64_t refused_bytes_ = 0;
};

}  // namespace foretile
