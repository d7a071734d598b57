// SPDX-License-Identifier: BSD-3-Clause
// Host memory that devices copy from and to, taken once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "executor/gpu/gpu.hpp"
#include "executor/tiles/arena.hpp"

namespace foretile {

/// Gives out parts of one pinned piece of memory. What does not fit (holes, more than was predicted) comes
/// from ordinary memory, from which copies are slower. For one thread.
class PinnedPool final : public std::pmr::memory_resource {
 public:
  /// `gpus` must outlive this.
  PinnedPool(Gpus& gpus, std::int64_t bytes);
  ~PinnedPool() override;
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  std::int64_t bytes() const { return arena_.size(); }
  /// Most that lay in ordinary memory at once.
  std::int64_t overflow_bytes() const { return most_outside_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  Gpus& gpus_;
  Arena arena_;
  std::byte* memory_ = nullptr;
  std::int64_t outside_ = 0;
  std::int64_t most_outside_ = 0;
};

}  // namespace foretile
