// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/memory_pool.hpp"

#include <algorithm>
#include <functional>

namespace foretile {

MemoryPool::MemoryPool(std::byte* memory, std::int64_t bytes, std::pmr::memory_resource* others)
    : arena_(bytes), memory_(memory), others_(others) {}

bool MemoryPool::has(const std::byte* place) const {
  const std::less<> before;
  return !before(place, memory_) && before(place, memory_ + arena_.size());
}

void* MemoryPool::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment <= static_cast<std::size_t>(Arena::kAlignment)) {
    if (const auto offset = arena_.take(static_cast<std::int64_t>(bytes))) return memory_ + *offset;
  }
  void* const outside = others_->allocate(bytes, alignment);
  outside_ += static_cast<std::int64_t>(bytes);
  most_outside_ = std::max(most_outside_, outside_);
  return outside;
}

void MemoryPool::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  auto* const place = static_cast<std::byte*>(memory);
  if (has(place)) {
    arena_.give(place - memory_);
    return;
  }
  outside_ -= static_cast<std::int64_t>(bytes);
  others_->deallocate(memory, bytes, alignment);
}

PinnedPool::PinnedPool(Gpus& gpus, std::int64_t bytes)
    : MemoryPool(gpus.allocate_host(Arena::rounded(bytes)), Arena::rounded(bytes),
                 std::pmr::new_delete_resource()),
      gpus_(gpus) {}

PinnedPool::~PinnedPool() {
  gpus_.free_host(memory());
}

}  // namespace foretile
