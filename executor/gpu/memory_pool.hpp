// SPDX-License-Identifier: BSD-3-Clause
// Memory that devices copy from and to at full speed, taken once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "executor/gpu/gpu.hpp"
#include "executor/tiles/arena.hpp"

namespace foretile {

/// Gives out parts of one piece of memory, which it never touches. What does not fit (holes, more than was
/// predicted) comes from `others`. For one thread.
class MemoryPool : public std::pmr::memory_resource {
 public:
  /// `memory` and `others` must outlive what is given out.
  MemoryPool(std::byte* memory, std::int64_t bytes, std::pmr::memory_resource* others);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  std::int64_t bytes() const { return arena_.size(); }
  /// Whether it gave this itself.
  bool has(const std::byte* place) const;
  /// Most that others had to give at once.
  std::int64_t overflow_bytes() const { return most_outside_; }

 protected:
  std::byte* memory() const { return memory_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  Arena arena_;
  std::byte* memory_;
  std::pmr::memory_resource* others_;
  std::int64_t outside_ = 0;
  std::int64_t most_outside_ = 0;
};

/// Host memory that is page-locked. What does not fit comes from ordinary memory, from which copies are
/// slower.
class PinnedPool final : public MemoryPool {
 public:
  /// `gpus` must outlive this.
  PinnedPool(Gpus& gpus, std::int64_t bytes);
  ~PinnedPool() override;

 private:
  Gpus& gpus_;
};

}  // namespace foretile
