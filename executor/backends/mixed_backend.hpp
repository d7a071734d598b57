// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end where cores multiply beside GPUs.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "executor/backends/cpu_backend.hpp"
#include "executor/backends/gpu_backend.hpp"

namespace foretile {

/// That of the cores, of which the first devices are GPUs. Work in host memory is done by the cores.
class MixedBackend final : public CpuBackend {
 public:
  /// Devices 0 to `devices_with_memory` - 1 are GPUs; the other parameters are as CpuBackend has them.
  MixedBackend(const Contraction& contraction, const ProductForm& form, HostStore& host,
               const std::vector<int>& sharing, int cores, Transport transport,
               std::unique_ptr<GpuBackend> gpus, int devices_with_memory)
      : CpuBackend(contraction, form, host, sharing, cores, std::move(transport)),
        gpus_(std::move(gpus)),
        gpu_devices_(devices_with_memory) {}

  const GpuBackend& gpus() const { return *gpus_; }

  void start_clock() override {
    CpuBackend::start_clock();
    gpus_->start_clock();
  }
  std::span<const EndedOperation> ended(double seconds) override;

  int kernel_slots(Device device) const override {
    return is_gpu(device) ? gpus_->kernel_slots(device) : CpuBackend::kernel_slots(device);
  }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override {
    is_gpu(device) ? gpus_->start_kernel(id, device, products)
                   : CpuBackend::start_kernel(id, device, products);
  }
  void start_copy(OperationId id, const Copy& copy) override {
    is_gpu(Device::of(copy.to == kHost ? copy.from : copy.to)) ? gpus_->start_copy(id, copy)
                                                               : CpuBackend::start_copy(id, copy);
  }
  void allocate(Device device, TileRef tile) override {
    is_gpu(device) ? gpus_->allocate(device, tile) : CpuBackend::allocate(device, tile);
  }
  void release(Device device, TileRef tile) override {
    is_gpu(device) ? gpus_->release(device, tile) : CpuBackend::release(device, tile);
  }
  void adopt(Device device, TileRef tile) override {
    is_gpu(device) ? gpus_->adopt(device, tile) : CpuBackend::adopt(device, tile);
  }

 private:
  bool is_gpu(Device device) const { return device < gpu_devices_; }

  std::unique_ptr<GpuBackend> gpus_;
  int gpu_devices_;
};

}  // namespace foretile
