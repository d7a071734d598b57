// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/kept_gpus.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

struct KeptGpus::Device {
  int physical = 0;
  int kernel_lanes = 0;
  std::unique_ptr<Gpu> gpu;
  std::multimap<std::int64_t, std::byte*> memory = {};  // all that was allocated, by size
};

/// Gives the device back when it goes.
class KeptGpus::InUse final : public Gpu {
 public:
  InUse(KeptGpus& owner, std::unique_ptr<Device> device)
      : owner_(owner), device_(std::move(device)), free_(device_->memory) {}
  ~InUse() override { owner_.devices_.push_back(std::move(device_)); }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

  std::byte* allocate(std::int64_t bytes) override {
    if (const auto found = free_.find(bytes); found != free_.end()) return free_.extract(found).mapped();
    std::byte* const memory = device_->gpu->allocate(bytes);
    device_->memory.emplace(bytes, memory);
    return memory;
  }
  void copy(Lane lane, std::span<const CopyPiece> pieces) override { device_->gpu->copy(lane, pieces); }
  void multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) override {
    device_->gpu->multiply(lane, form, products);
  }
  void make(Lane lane, Precision precision, std::span<const TileToMake> tiles) override {
    device_->gpu->make(lane, precision, tiles);
  }
  void combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) override {
    device_->gpu->combine(lane, precision, tiles);
  }
  void follow(Lane lane, Lane other) override { device_->gpu->follow(lane, other); }
  std::uint64_t mark(Lane lane) override { return device_->gpu->mark(lane); }
  std::uint64_t reached(Lane lane) override { return device_->gpu->reached(lane); }

 private:
  KeptGpus& owner_;
  std::unique_ptr<Device> device_;
  std::multimap<std::int64_t, std::byte*> free_;  // of an earlier run, by size
};

KeptGpus::KeptGpus(std::unique_ptr<Gpus> gpus) : gpus_(std::move(gpus)) {}

KeptGpus::~KeptGpus() {
  free_kept_host();
}

void KeptGpus::free_kept_host() {
  for (const auto& [bytes, memory] : std::exchange(host_, {})) gpus_->free_host(memory);
}

std::unique_ptr<Gpu> KeptGpus::open(int physical, int kernel_lanes) {
  const auto found = std::find_if(devices_.begin(), devices_.end(), [&](const auto& device) {
    return device->physical == physical && device->kernel_lanes == kernel_lanes;
  });
  std::unique_ptr<Device> device;
  if (found != devices_.end()) {
    device = std::move(*found);
    devices_.erase(found);
  } else {
    device = std::make_unique<Device>(Device{physical, kernel_lanes, gpus_->open(physical, kernel_lanes)});
  }
  return std::make_unique<InUse>(*this, std::move(device));
}

std::byte* KeptGpus::allocate_host(std::int64_t bytes) {
  std::byte* memory = nullptr;
  if (const auto found = host_.find(bytes); found != host_.end()) {
    memory = host_.extract(found).mapped();
  } else {
    free_kept_host();  // sizes that are not wanted again must not pile up
    memory = gpus_->allocate_host(bytes);
  }
  used_host_.emplace(memory, bytes);
  return memory;
}

void KeptGpus::free_host(std::byte* memory) {
  const auto used = used_host_.extract(memory);
  host_.emplace(used.mapped(), memory);
}

}  // namespace foretile
