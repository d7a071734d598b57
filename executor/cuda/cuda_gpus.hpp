// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this node over CUDA.
#pragma once

#include <vector>

#include "executor/cuda/owned.hpp"
#include "executor/cuda/poll_backoff.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

class CudaGpus final : public Gpus {
 public:
  /// Has to be the first of CUDA in a process: it asks for as many queues as CUDA has. Throws WorkError that
  /// says why when there is no driver or no GPU.
  CudaGpus();

  int count() const override { return count_; }
  GpuFacts facts(int physical) override;
  /// Lets it and the devices opened before reach each other's memory where they can.
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override;
  bool direct(int from, int to) override;
  std::byte* allocate_host(std::int64_t bytes) override;
  void free_host(std::byte* memory) override;
  void pause(double seconds) override;

 private:
  void require(int physical) const;

  int count_ = 0;
  std::vector<int> opened_;  ///< physical devices, each once
  PollBackoff backoff_;      ///< common to all devices
};

}  // namespace foretile
