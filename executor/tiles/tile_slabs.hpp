// SPDX-License-Identifier: BSD-3-Clause
// Small tiles side by side in large pieces of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory_resource>

namespace foretile {

/// Cuts small tiles from slabs of a megabyte one after the other. Nothing is written beside them: an
/// allocator that writes into fresh memory waits for it, at a tile of 16 x 16 longer than the product takes.
/// A slab goes back when all of its tiles did; larger tiles go to `upstream`. For one thread.
class TileSlabs final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kSlab = std::size_t{1} << 20;
  static constexpr std::size_t kLargest = kSlab / 32;  ///< so that the end of a slab wastes little

  explicit TileSlabs(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  /// All tiles must have gone back.
  ~TileSlabs() override;
  TileSlabs(const TileSlabs&) = delete;
  TileSlabs& operator=(const TileSlabs&) = delete;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
  /// Address, and tiles that did not go back.
  using Slabs = std::map<std::byte*, std::size_t, std::less<>>;
  void drop(Slabs::iterator slab);

  std::pmr::memory_resource* upstream_;
  Slabs slabs_;
  std::byte* open_ = nullptr;  // the slab that tiles are cut from, if any
  std::size_t used_ = 0;       // of it, bytes
};

}  // namespace foretile
