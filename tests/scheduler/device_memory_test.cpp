#include "scheduler/device_memory.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

TileRef a(TileId id) {
  return {Matrix::a, id};
}

struct Fixture : testing::Test {
  std::vector<TileId> evicted;
  DeviceMemory memory{100, [this](TileRef tile) { evicted.push_back(tile.id); }};
  using Ids = std::vector<TileId>;
};
using DeviceMemoryTest = Fixture;

/// 40 + 30 + 20 bytes, unpinned in the order 2, 0, 1. 60 bytes more need 50 of the 90: tiles 2 and 0 go.
TEST_F(DeviceMemoryTest, LeastRecentlyUsedGoesFirst) {
  ASSERT_TRUE(memory.reserve(a(0), 40) && memory.reserve(a(1), 30) && memory.reserve(a(2), 20));
  for (const TileId id : {2, 0, 1}) memory.unpin(a(id));
  EXPECT_EQ(memory.pinned_bytes(), 0);
  EXPECT_EQ(memory.used_bytes(), 90);
  ASSERT_TRUE(memory.reserve(a(3), 60));
  EXPECT_EQ(evicted, (Ids{2, 0}));
  EXPECT_EQ(memory.evictions(), 2);
  EXPECT_EQ(memory.used_bytes(), 90);
  EXPECT_FALSE(memory.holds(a(2)));
  EXPECT_TRUE(memory.holds(a(1)));
}

/// Tile 0 is used again: now 1 is the oldest.
TEST_F(DeviceMemoryTest, PinningAgainMakesATileYoung) {
  ASSERT_TRUE(memory.reserve(a(0), 50) && memory.reserve(a(1), 50));
  memory.unpin(a(0));
  memory.unpin(a(1));
  ASSERT_TRUE(memory.pin_if_present(a(0)));
  memory.unpin(a(0));
  ASSERT_TRUE(memory.reserve(a(2), 50));
  EXPECT_EQ(evicted, (Ids{1}));
}

TEST_F(DeviceMemoryTest, PinnedTilesStayAndARefusalChangesNothing) {
  ASSERT_TRUE(memory.reserve(a(0), 50) && memory.reserve(a(1), 30));
  memory.unpin(a(1));
  EXPECT_FALSE(memory.reserve(a(2), 51));
  EXPECT_TRUE(evicted.empty());
  EXPECT_TRUE(memory.holds(a(1)));
  EXPECT_FALSE(memory.holds(a(2)));
  EXPECT_EQ(memory.pinned_bytes(), 50);
  EXPECT_TRUE(memory.reserve(a(2), 50));
  EXPECT_EQ(memory.peak_bytes(), 100);
}

TEST_F(DeviceMemoryTest, ATileStaysUntilItsLastPinGoes) {
  ASSERT_TRUE(memory.reserve(a(0), 100));
  ASSERT_TRUE(memory.pin_if_present(a(0)));
  memory.unpin(a(0));
  EXPECT_FALSE(memory.reserve(a(1), 1));
  memory.unpin(a(0));
  EXPECT_TRUE(memory.reserve(a(1), 1));
}

TEST_F(DeviceMemoryTest, TilesOfDifferentMatricesAreDifferent) {
  ASSERT_TRUE(memory.reserve(a(0), 10));
  EXPECT_FALSE(memory.holds({Matrix::b, 0}));
  ASSERT_TRUE(memory.reserve({Matrix::b, 0}, 20));
  memory.drop({Matrix::b, 0});
  EXPECT_TRUE(memory.holds(a(0)));
  EXPECT_EQ(memory.used_bytes(), 10);
  EXPECT_EQ(memory.pinned_bytes(), 10);
  EXPECT_TRUE(evicted.empty());  // dropping is the owner's own decision
}

TEST_F(DeviceMemoryTest, ForgottenTilesLeaveAtOnceAndCountAsNoEviction) {
  ASSERT_TRUE(memory.reserve(a(0), 60));
  memory.forget(a(1));
  memory.unpin(a(0));
  memory.forget(a(0));
  EXPECT_FALSE(memory.holds(a(0)));
  EXPECT_EQ(memory.used_bytes(), 0);
  EXPECT_EQ(memory.evictions(), 0);
  EXPECT_EQ(evicted.size(), 1U);
  EXPECT_TRUE(memory.reserve(a(2), 100));
  EXPECT_EQ(evicted.size(), 1U);
}

TEST_F(DeviceMemoryTest, AbsentTilesAreNotPinned) {
  EXPECT_FALSE(memory.pin_if_present(a(7)));
  EXPECT_EQ(memory.pinned_bytes(), 0);
}

}  // namespace
}  // namespace foretile
