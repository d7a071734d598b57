// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/tile_slabs.hpp"

#include <iterator>

namespace foretile {

namespace {

constexpr std::size_t kAlignment = 64;

bool from_slab(std::size_t bytes, std::size_t alignment) {
  return bytes <= TileSlabs::kLargest && alignment <= kAlignment;
}

}  // namespace

TileSlabs::~TileSlabs() {
  while (!slabs_.empty()) drop(slabs_.begin());
}

void TileSlabs::drop(Slabs::iterator slab) {
  upstream_->deallocate(slab->first, kSlab, kAlignment);
  if (slab->first == open_) open_ = nullptr;
  slabs_.erase(slab);
}

void* TileSlabs::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!from_slab(bytes, alignment)) return upstream_->allocate(bytes, alignment);
  const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (!open_ || used_ + taken > kSlab) {
    open_ = static_cast<std::byte*>(upstream_->allocate(kSlab, kAlignment));
    slabs_.emplace_hint(slabs_.end(), open_, 0);
    used_ = 0;
  }
  void* const memory = open_ + used_;
  used_ += taken;
  ++slabs_.find(open_)->second;
  return memory;
}

void TileSlabs::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (!from_slab(bytes, alignment)) return upstream_->deallocate(memory, bytes, alignment);
  const auto slab = std::prev(slabs_.upper_bound(static_cast<std::byte*>(memory)));
  if (--slab->second == 0) drop(slab);
}

}  // namespace foretile
