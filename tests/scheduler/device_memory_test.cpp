// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/device_memory.hpp"

#include <gtest/gtest.h>

#include <map>

namespace foretile::device_memory_test {
namespace {

struct Fixture : testing::Test {
  TileStates tiles{2};
  std::map<TileId, TileSlot> slots;
  std::vector<TileId> evicted;
  DeviceMemory memory{tiles, 1, 100, [this](TileRef tile) { evicted.push_back(tile.id); }};
  using Ids = std::vector<TileId>;

  bool reserve(TileId id, std::int64_t bytes) {
    slots[id] = tiles.slot({Matrix::a, id}, bytes);
    return memory.reserve(slots[id]);
  }
  TileSlot a(TileId id) const { return slots.at(id); }
};
using DeviceMemoryTest = Fixture;

/// 40 + 30 + 20 bytes, unpinned in the order 2, 0, 1. 60 bytes more need 50 of the 90: tiles 2 and 0 go.
TEST_F(DeviceMemoryTest, LeastRecentlyUsedGoesFirst) {
  ASSERT_TRUE(reserve(0, 40) && reserve(1, 30) && reserve(2, 20));
  for (const TileId id : {2, 0, 1}) memory.unpin(a(id));
  EXPECT_EQ(memory.pinned_bytes(), 0);
  EXPECT_EQ(memory.used_bytes(), 90);
  ASSERT_TRUE(reserve(3, 60));
  EXPECT_EQ(evicted, (Ids{2, 0}));
  EXPECT_EQ(memory.evictions(), 2);
  EXPECT_EQ(memory.used_bytes(), 90);
  EXPECT_FALSE(memory.holds(a(2)));
  EXPECT_TRUE(memory.holds(a(1)));
}

/// Tile 0 is used again: now 1 is the oldest.
TEST_F(DeviceMemoryTest, PinningAgainMakesATileYoung) {
  ASSERT_TRUE(reserve(0, 50) && reserve(1, 50));
  memory.unpin(a(0));
  memory.unpin(a(1));
  ASSERT_TRUE(memory.pin_if_present(a(0)));
  memory.unpin(a(0));
  ASSERT_TRUE(reserve(2, 50));
  EXPECT_EQ(evicted, (Ids{1}));
}

TEST_F(DeviceMemoryTest, PinnedTilesStayAndARefusalChangesNothing) {
  ASSERT_TRUE(reserve(0, 50) && reserve(1, 30));
  memory.unpin(a(1));
  EXPECT_FALSE(reserve(2, 51));
  EXPECT_TRUE(evicted.empty());
  EXPECT_TRUE(memory.holds(a(1)));
  EXPECT_FALSE(memory.holds(a(2)));
  EXPECT_EQ(memory.pinned_bytes(), 50);
  EXPECT_TRUE(reserve(3, 50));
  EXPECT_EQ(memory.peak_bytes(), 100);
}

TEST_F(DeviceMemoryTest, ATileStaysUntilItsLastPinGoes) {
  ASSERT_TRUE(reserve(0, 100));
  ASSERT_TRUE(memory.pin_if_present(a(0)));
  memory.unpin(a(0));
  EXPECT_FALSE(reserve(1, 1));
  memory.unpin(a(0));
  EXPECT_TRUE(reserve(1, 1));
}

/// Tiles that stay make idle ones leave and are never evicted themselves.
TEST_F(DeviceMemoryTest, TilesThatStayTakeBytesUntilTheyAreGivenBack) {
  ASSERT_TRUE(reserve(0, 30) && reserve(1, 30));
  memory.unpin(a(0));
  EXPECT_FALSE(memory.take(71));
  EXPECT_TRUE(evicted.empty());
  ASSERT_TRUE(memory.take(50));
  EXPECT_EQ(evicted, (Ids{0}));
  EXPECT_EQ(memory.pinned_bytes(), 80);
  memory.unpin(a(1));
  EXPECT_FALSE(reserve(2, 51));
  memory.give_back(50);
  EXPECT_EQ(memory.pinned_bytes(), 0);
  EXPECT_EQ(memory.used_bytes(), 30);
  EXPECT_EQ(memory.peak_bytes(), 80);
  EXPECT_TRUE(reserve(2, 51));
}

/// The second of three idle tiles leaves the list in its middle, then its ends go.
TEST_F(DeviceMemoryTest, ForgottenTilesLeaveAtOnceAndCountAsNoEviction) {
  ASSERT_TRUE(reserve(0, 20) && reserve(1, 30) && reserve(2, 40));
  memory.forget(tiles.slot({Matrix::b, 1}, 30));  // was never here
  for (const TileId id : {0, 1, 2}) memory.unpin(a(id));
  memory.forget(a(1));
  EXPECT_FALSE(memory.holds(a(1)));
  EXPECT_EQ(memory.used_bytes(), 60);
  EXPECT_EQ(memory.evictions(), 0);
  EXPECT_EQ(evicted, (Ids{1}));
  memory.forget(a(1));
  EXPECT_EQ(evicted.size(), 1U);
  ASSERT_TRUE(memory.take(100));
  EXPECT_EQ(evicted, (Ids{1, 0, 2}));
  EXPECT_EQ(memory.evictions(), 2);
}

TEST_F(DeviceMemoryTest, AbsentTilesAreNotPinned) {
  EXPECT_FALSE(memory.pin_if_present(tiles.slot({Matrix::a, 7}, 10)));
  EXPECT_EQ(memory.pinned_bytes(), 0);
  ASSERT_TRUE(reserve(7, 10));
  memory.unpin(a(7));
  ASSERT_TRUE(memory.take(100));  // evicts it
  EXPECT_FALSE(memory.pin_if_present(a(7)));
}

TEST_F(DeviceMemoryTest, DevicesAreApart) {
  DeviceMemory other(tiles, 0, 100, [](TileRef) {});
  ASSERT_TRUE(reserve(3, 10));
  EXPECT_FALSE(other.holds(a(3)));
  EXPECT_TRUE(other.reserve(a(3)));
  memory.unpin(a(3));
  EXPECT_EQ(other.pinned_bytes(), 10);
}

}  // namespace
}  // namespace foretile::device_memory_test
