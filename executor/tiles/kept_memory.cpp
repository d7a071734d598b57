// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/kept_memory.hpp"

namespace foretile {

KeptMemory::~KeptMemory() {
  for (const auto& [bytes, pieces] : free_) {
    for (void* const piece : pieces) upstream_->deallocate(piece, bytes, kAlignment);
  }
}

void* KeptMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment > kAlignment) return upstream_->allocate(bytes, alignment);
  std::vector<void*>& pieces = free_[bytes];
  if (pieces.empty()) return upstream_->allocate(bytes, kAlignment);
  void* const piece = pieces.back();
  pieces.pop_back();
  return piece;
}

void KeptMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (alignment > kAlignment) return upstream_->deallocate(memory, bytes, alignment);
  free_[bytes].push_back(memory);
}

}  // namespace foretile
