// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this node over CUDA.
#pragma once

#include <vector>

#include "executor/cuda/host_borders.hpp"
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
  void use_for_host(int physical) override;
  std::byte* allocate_host(std::int64_t bytes) override;
  void free_host(std::byte* memory) override;
  bool reaches(const std::byte* memory) const override;
  bool register_host(std::byte* begin, std::int64_t bytes, bool read_only) override;
  void unregister_host(std::byte* begin) override;
  void pause(double seconds) override;

 private:
  void require(int physical) const;
  void make_host_device_current() const;
  bool lock(std::byte* begin, std::int64_t bytes, bool read_only) const;

  int count_ = 0;
  int for_host_ = 0;         ///< physical
  std::vector<int> opened_;  ///< physical devices, each once
  PollBackoff backoff_;      ///< common to all devices
  HostBorders borders_;
};

}  // namespace foretile
