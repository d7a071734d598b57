// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/pinned_pool.hpp"

#include <algorithm>
#include <functional>

namespace foretile {

PinnedPool::PinnedPool(Gpus& gpus, std::int64_t bytes) : gpus_(gpus), arena_(Arena::rounded(bytes)) {
  memory_ = gpus.allocate_host(arena_.size());
}

PinnedPool::~PinnedPool() {
  gpus_.free_host(memory_);
}

void* PinnedPool::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment <= static_cast<std::size_t>(Arena::kAlignment)) {
    if (const auto offset = arena_.take(static_cast<std::int64_t>(bytes))) return memory_ + *offset;
  }
  void* const outside = std::pmr::new_delete_resource()->allocate(bytes, alignment);
  outside_ += static_cast<std::int64_t>(bytes);
  most_outside_ = std::max(most_outside_, outside_);
  return outside;
}

void PinnedPool::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  auto* const place = static_cast<std::byte*>(memory);
  const std::less<> before;
  if (!before(place, memory_) && before(place, memory_ + arena_.size())) {
    arena_.give(place - memory_);
    return;
  }
  outside_ -= static_cast<std::int64_t>(bytes);
  std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
}

}  // namespace foretile
