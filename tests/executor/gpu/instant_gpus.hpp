// SPDX-License-Identifier: BSD-3-Clause
// GPUs that take no time: what is left of a run is what the host does.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Whatever it is given has ended already; only its memory is there.
class InstantGpu final : public Gpu {
 public:
  std::byte* allocate(std::int64_t bytes) override {
    memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
    return memory_.back().get();
  }
  void copy(Lane, std::span<const CopyPiece>) override {}
  void multiply(Lane, const ProductForm&, std::span<const TileProduct>) override {}
  void make(Lane, Precision, std::span<const TileToMake>) override {}
  void combine(Lane, Precision, std::span<const TileToCombine>) override {}
  void follow(Lane, Lane) override {}
  std::uint64_t mark(Lane) override { return ++marks_; }
  std::uint64_t reached(Lane) override { return marks_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::uint64_t marks_ = 0;
};

class InstantGpus final : public Gpus {
 public:
  int count() const override { return 1; }
  GpuFacts facts(int) override { return {}; }
  std::unique_ptr<Gpu> open(int, int) override { return std::make_unique<InstantGpu>(); }
  bool direct(int, int) override { return true; }
  std::byte* allocate_host(std::int64_t bytes) override {
    return static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment));
  }
  void free_host(std::byte* memory) override { ::operator delete(memory, kAlignment); }
  void pause(double) override {}

 private:
  static constexpr std::align_val_t kAlignment{256};
};

}  // namespace foretile
