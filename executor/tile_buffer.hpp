// Memory of one tile.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>

namespace foretile {

/// Column-major doubles on a cache line boundary; not initialized.
class TileBuffer {
 public:
  TileBuffer() = default;
  /// `memory` must outlive this.
  explicit TileBuffer(std::int64_t bytes, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : memory_(memory), bytes_(bytes) {
    if (bytes > 0)
      data_ = static_cast<double*>(memory->allocate(static_cast<std::size_t>(bytes), kAlignment));
  }
  TileBuffer(TileBuffer&& other) noexcept
      : memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  TileBuffer& operator=(TileBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~TileBuffer() {
    if (data_) memory_->deallocate(data_, static_cast<std::size_t>(bytes_), kAlignment);
  }
  double* data() const { return data_; }
  std::span<double> elements() const { return {data_, static_cast<std::size_t>(bytes_ / 8)}; }

 private:
  static constexpr std::size_t kAlignment = 64;
  std::pmr::memory_resource* memory_ = nullptr;
  double* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace foretile
