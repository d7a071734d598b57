// A back end that does nothing.
#pragma once

#include "scheduler/backend.hpp"

namespace foretile {

struct IdleBackend : Backend {
  double now() const override { return 0; }
  int kernel_slots(int) const override { return 1; }
  void start_kernel(OperationId, int, std::span<const Product>) override {}
  void start_generate(OperationId, std::span<const TileId>) override {}
  void start_copy(OperationId, const Copy&) override {}
  void start_send(OperationId, int, const Message&) override {}
  void allocate(int, TileRef) override {}
  void release(int, TileRef) override {}
  void release_host(TileRef) override {}
  void release_message(int, int) override {}
  void send_signal(int, Signal) override {}
  void adopt(int, TileRef) override {}
};

}  // namespace foretile
