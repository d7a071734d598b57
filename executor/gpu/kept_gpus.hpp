// SPDX-License-Identifier: BSD-3-Clause
// GPUs whose memory stays taken from run to run.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Opening devices, their memory and pinned host memory are slow to get: what a run gives back is kept for
/// the next one that asks for the same. All of it goes when this goes; nothing may be in use then. For one
/// thread.
class KeptGpus final : public Gpus {
 public:
  explicit KeptGpus(std::unique_ptr<Gpus> gpus);
  ~KeptGpus() override;
  KeptGpus(const KeptGpus&) = delete;
  KeptGpus& operator=(const KeptGpus&) = delete;

  int count() const override { return gpus_->count(); }
  GpuFacts facts(int physical) override { return gpus_->facts(physical); }
  /// A kept one still has the memory that was allocated on it; its points count on.
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override;
  bool direct(int from, int to) override { return gpus_->direct(from, to); }
  bool memory_is_host() const override { return gpus_->memory_is_host(); }
  void use_for_host(int physical) override { gpus_->use_for_host(physical); }
  std::byte* allocate_host(std::int64_t bytes) override;
  void free_host(std::byte* memory) override;
  bool reaches(const std::byte* memory) const override { return gpus_->reaches(memory); }
  bool register_host(std::byte* begin, std::int64_t bytes, bool read_only) override {
    return gpus_->register_host(begin, bytes, read_only);
  }
  void unregister_host(std::byte* begin) override { gpus_->unregister_host(begin); }
  void pause(double seconds) override { gpus_->pause(seconds); }

 private:
  struct Device;
  class InUse;

  void free_kept_host();

  std::unique_ptr<Gpus> gpus_;
  std::vector<std::unique_ptr<Device>> devices_;  // not in use
  std::multimap<std::int64_t, std::byte*> host_;  // not in use, by size
  std::map<std::byte*, std::int64_t> used_host_;  // sizes
};

}  // namespace foretile
