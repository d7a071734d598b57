// SPDX-License-Identifier: BSD-3-Clause
// A back end that does nothing.
#pragma once

#include "scheduler/backend.hpp"

namespace foretile {

struct IdleBackend : Backend {
  double now() const override { return 0; }
  int kernel_slots(Device) const override { return 1; }
  void start_kernel(OperationId, Device, std::span<const Product>) override {}
  void start_generate(OperationId, std::span<const GeneratedPart>) override {}
  void start_copy(OperationId, const Copy&) override {}
  void start_send(OperationId, Rank, const Message&) override {}
  void allocate(Device, TileRef) override {}
  void release(Device, TileRef) override {}
  void release_host(TileRef) override {}
  void release_message(Rank, int) override {}
  void send_signal(Rank, Signal) override {}
  void adopt(Device, TileRef) override {}
  void start_combine(OperationId, const Combine&) override {}
  void start_task(OperationId, std::int32_t, const FlowTask&, int) override {}
  void release_step(Step) override {}
  void release_parts(std::span<const TileId>, Device) override {}
  void keep_parts(std::span<const TileId>, Device) override {}
};

}  // namespace foretile
