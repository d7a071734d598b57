// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end where cores multiply beside GPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "executor/backends/cpu_backend.hpp"
#include "executor/backends/gpu_backend.hpp"
#include "executor/backends/rank_backend.hpp"

namespace foretile {

/// What concerns a GPU goes to the back end of the GPUs, the rest to that of the cores. Both have the same
/// store of host tiles.
class MixedBackend final : public RankBackend {
 public:
  /// Devices 0 to `devices_with_memory` - 1 are GPUs.
  MixedBackend(std::unique_ptr<GpuBackend> gpus, std::unique_ptr<CpuBackend> cores, int devices_with_memory)
      : gpus_(std::move(gpus)), cores_(std::move(cores)), gpu_devices_(devices_with_memory) {}

  const GpuBackend& gpus() const { return *gpus_; }

  void start_clock() override {
    gpus_->start_clock();
    cores_->start_clock();
  }
  std::span<const EndedOperation> ended(double seconds) override;

  double now() const override { return cores_->now(); }
  int kernel_slots(Device device) const override { return of(device).kernel_slots(device); }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override {
    of(device).start_kernel(id, device, products);
  }
  void start_generate(OperationId id, std::span<const MadePart> parts) override {
    cores_->start_generate(id, parts);
  }
  void start_copy(OperationId id, const Copy& copy) override {
    of(Device::of(copy.to == kHost ? copy.from : copy.to)).start_copy(id, copy);
  }
  void start_combine(OperationId id, const Combine& combine) override { cores_->start_combine(id, combine); }
  void start_task(OperationId id, std::int32_t number, const FlowTask& task) override {
    cores_->start_task(id, number, task);
  }
  void release_step(Step step) override { cores_->release_step(step); }
  void start_send(OperationId id, Rank to_rank, const Message& message) override {
    cores_->start_send(id, to_rank, message);
  }
  void send_signal(Rank to_rank, Signal signal) override { cores_->send_signal(to_rank, signal); }
  void allocate(Device device, TileRef tile) override { of(device).allocate(device, tile); }
  void release(Device device, TileRef tile) override { of(device).release(device, tile); }
  void release_host(TileRef tile) override { cores_->release_host(tile); }
  void release_message(Rank owner, int number) override { cores_->release_message(owner, number); }
  void adopt(Device device, TileRef tile) override { of(device).adopt(device, tile); }
  void release_parts(std::span<const TileId> tiles, Device computed_by) override {
    cores_->release_parts(tiles, computed_by);
  }
  void keep_parts(std::span<const TileId> tiles, Device computed_by) override {
    cores_->keep_parts(tiles, computed_by);
  }

 private:
  Backend& of(Device device) const { return device < gpu_devices_ ? static_cast<Backend&>(*gpus_) : *cores_; }

  std::unique_ptr<GpuBackend> gpus_;
  std::unique_ptr<CpuBackend> cores_;
  int gpu_devices_;
  std::vector<EndedOperation> told_;  // by the last call of ended()
};

}  // namespace foretile
