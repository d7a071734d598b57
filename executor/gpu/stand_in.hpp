// SPDX-License-Identifier: BSD-3-Clause
// GPUs played by threads of the CPU, for tests and for machines without one.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

struct StandInOptions {
  int count = 1;                                      ///< physical devices
  std::int64_t memory_bytes = std::int64_t{1} << 40;  ///< of each
  bool direct = true;                                 ///< whether devices reach each other
  bool small_products = false;                        ///< TileKernel::Library::best multiplies, as on cores
};

/// Device memory is host memory of its own and each lane is a thread. Work that must not meet does meet here
/// as it would on a GPU, so tests (and the thread sanitizer) find missing dependencies.
class StandInGpus final : public Gpus {
 public:
  explicit StandInGpus(StandInOptions options = {});

  int count() const override { return options_.count; }
  GpuFacts facts(int physical) override;
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override;
  bool direct(int, int) override { return options_.direct; }
  std::byte* allocate_host(std::int64_t bytes) override;
  void free_host(std::byte* memory) override;
  bool memory_is_host() const override { return true; }
  void pause(double seconds) override;

 private:
  friend class StandInGpu;
  void take(int physical, std::int64_t bytes);
  void notify_point();

  StandInOptions options_;
  std::vector<std::int64_t> used_;
  std::mutex mutex_;
  std::condition_variable point_reached_;
  bool any_point_ = false;
};

}  // namespace foretile
