// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/tile_slabs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "executor/tiles/heap_memory.hpp"

namespace foretile::tile_slabs_test {
namespace {

/// Counts what it gave and did not get back.
class Counting final : public std::pmr::memory_resource {
 public:
  std::size_t pieces() const { return pieces_.size(); }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& [place, size] : pieces_) sum += size;
    return sum;
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const place = heap_memory()->allocate(bytes, alignment);
    pieces_[place] = bytes;
    return place;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    EXPECT_EQ(pieces_.at(place), bytes);
    pieces_.erase(place);
    heap_memory()->deallocate(place, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::map<void*, std::size_t> pieces_;
};

TEST(TileSlabs, CutsSmallTilesFromOnePiece) {
  Counting upstream;
  TileSlabs slabs(&upstream);
  // 16 x 16 doubles: 512 of them fill a slab of 2^20 bytes.
  std::vector<void*> tiles;
  for (int i = 0; i < 512; ++i) tiles.push_back(slabs.allocate(2048, 64));
  EXPECT_EQ(upstream.pieces(), 1U);
  for (std::size_t i = 1; i < tiles.size(); ++i)
    EXPECT_EQ(static_cast<char*>(tiles[i]) - static_cast<char*>(tiles[i - 1]), 2048);
  tiles.push_back(slabs.allocate(1, 64));
  EXPECT_EQ(upstream.pieces(), 2U);
  slabs.deallocate(tiles.back(), 1, 64);
  tiles.pop_back();
  EXPECT_EQ(upstream.pieces(), 1U);
  for (void* const tile : tiles) slabs.deallocate(tile, 2048, 64);
  EXPECT_EQ(upstream.pieces(), 0U);
}

TEST(TileSlabs, LeavesLargeTilesToUpstream) {
  Counting upstream;
  TileSlabs slabs(&upstream);
  void* const large = slabs.allocate(TileSlabs::kLargest + 1, 64);
  EXPECT_EQ(upstream.bytes(), TileSlabs::kLargest + 1);
  slabs.deallocate(large, TileSlabs::kLargest + 1, 64);
  EXPECT_EQ(upstream.pieces(), 0U);
}

TEST(TileSlabs, KeepsRandomTilesApart) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    Counting upstream;
    TileSlabs slabs(&upstream);
    std::vector<std::pair<unsigned char*, std::size_t>> tiles;
    const auto check_and_drop = [&](std::size_t at) {
      const auto [place, bytes] = tiles[at];
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0U) << "seed " << seed;
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(place[i], bytes % 251) << "seed " << seed;
      slabs.deallocate(place, bytes, 64);
      tiles[at] = tiles.back();
      tiles.pop_back();
    };
    for (int step = 0; step < 2000; ++step) {
      if (!tiles.empty() && random.integer(0, 2) == 0) {
        check_and_drop(static_cast<std::size_t>(random.integer(0, std::ssize(tiles) - 1)));
        continue;
      }
      const auto bytes = static_cast<std::size_t>(random.integer(1, 40'000));
      auto* const place = static_cast<unsigned char*>(slabs.allocate(bytes, 64));
      std::memset(place, static_cast<int>(bytes % 251), bytes);
      tiles.emplace_back(place, bytes);
    }
    while (!tiles.empty()) check_and_drop(tiles.size() - 1);
    EXPECT_EQ(upstream.pieces(), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace foretile::tile_slabs_test
