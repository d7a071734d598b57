// SPDX-License-Identifier: BSD-3-Clause
// Memory of one tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>

#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/tile_view.hpp"

namespace foretile {

/// Bytes on a cache line boundary, not initialized: a tile's numbers, column-major, in the problem's
/// precision. Made and dropped by the thread of the progress loop alone, so that the memory resource needs
/// no lock; what is in it may be touched by others.
class TileBuffer {
 public:
  TileBuffer() = default;
  /// `memory` must outlive this.
  explicit TileBuffer(std::int64_t bytes, std::pmr::memory_resource* memory = heap_memory())
      : memory_(memory), bytes_(bytes) {
    if (bytes > 0)
      data_ = static_cast<std::byte*>(memory->allocate(static_cast<std::size_t>(bytes), kAlignment));
  }
  /// Memory of a caller, which must outlive this: a tile of `bytes`, perhaps with gaps.
  static TileBuffer borrowed(TileView view, std::int64_t bytes) {
    TileBuffer buffer;
    buffer.data_ = view.data;
    buffer.bytes_ = bytes;
    buffer.ld_ = view.ld;
    return buffer;
  }
  TileBuffer(TileBuffer&& other) noexcept
      : memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        ld_(other.ld_) {}
  TileBuffer& operator=(TileBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(ld_, other.ld_);
    return *this;
  }
  ~TileBuffer() {
    if (data_ && memory_) memory_->deallocate(data_, static_cast<std::size_t>(bytes_), kAlignment);
  }
  std::byte* data() const { return data_; }
  std::int64_t size() const { return bytes_; }
  /// Of a tile with so many rows.
  TileView view(std::int64_t rows) const { return {data_, ld_ > 0 ? ld_ : std::max<std::int64_t>(1, rows)}; }
  /// All bytes, of a tile without gaps.
  std::span<std::byte> bytes() const { return {data_, static_cast<std::size_t>(bytes_)}; }
  /// As numbers: double, float or complex ones of these.
  template <class Real>
  std::span<Real> as() const {
    return {reinterpret_cast<Real*>(data_), static_cast<std::size_t>(bytes_) / sizeof(Real)};
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  std::pmr::memory_resource* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t ld_ = 0;  // of borrowed memory; 0: no gaps
};

}  // namespace foretile
