// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/kernel_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.hpp"

namespace foretile::kernel_lanes_test {
namespace {

constexpr Lane kFirst = kFirstKernelLane;

std::vector<TileId> tiles(std::initializer_list<TileId> ids) {
  return ids;
}

TEST(KernelLanes, FreeTilesGoToTheLaneWithTheLeastInFlight) {
  KernelLanes lanes(3);
  EXPECT_EQ(lanes.start(tiles({1})).lane, kFirst);
  EXPECT_EQ(lanes.start(tiles({2})).lane, kFirst + 1);
  EXPECT_EQ(lanes.start(tiles({3})).lane, kFirst + 2);
  lanes.ended(kFirst + 1, tiles({2}));
  EXPECT_EQ(lanes.start(tiles({4})).lane, kFirst + 1);
}

TEST(KernelLanes, ATileStaysOnItsLaneWhileItIsWorkedOn) {
  KernelLanes lanes(2);
  EXPECT_EQ(lanes.start(tiles({1})).lane, kFirst);
  EXPECT_EQ(lanes.start(tiles({1})).lane, kFirst);
  lanes.ended(kFirst, tiles({1}));
  EXPECT_EQ(lanes.start(tiles({1})).lane, kFirst);  // one launch is still under way
  lanes.ended(kFirst, tiles({1}));
  lanes.ended(kFirst, tiles({1}));
  EXPECT_EQ(lanes.start(tiles({9})).lane, kFirst);
  EXPECT_EQ(lanes.start(tiles({1})).lane, kFirst + 1);
}

TEST(KernelLanes, ABatchFollowsTheOtherLanesOfItsTiles) {
  KernelLanes lanes(3);
  lanes.start(tiles({1}));
  lanes.start(tiles({2}));
  lanes.start(tiles({3}));
  const KernelLanes::Choice choice = lanes.start(tiles({2, 4, 3, 2}));
  EXPECT_EQ(choice.lane, kFirst + 1);
  EXPECT_EQ(choice.follow, std::vector<Lane>{kFirst + 2});
  EXPECT_TRUE(choice.repeats);
  EXPECT_EQ(lanes.start(tiles({3})).lane, kFirst + 1);  // where it is worked on last
}

TEST(KernelLanes, ATileOfTwoLaunchesIsNoRepetition) {
  KernelLanes lanes(2);
  EXPECT_FALSE(lanes.start(tiles({1, 2})).repeats);
  EXPECT_FALSE(lanes.start(tiles({2, 1})).repeats);
  EXPECT_TRUE(lanes.start(tiles({3, 1, 3})).repeats);
  EXPECT_FALSE(lanes.start(tiles({1, 3})).repeats);
}

/// Each tile's launches are ordered by lanes and followings, whatever ends when (in order on each lane).
TEST(KernelLanes, RandomLaunchesKeepTheOrderOfEveryTile) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const int count = static_cast<int>(random.integer(1, 4));
    KernelLanes lanes(count);
    // before[lane]: number of launches of each lane that certainly come before what is given to this lane
    // next
    std::vector<std::vector<int>> before(count, std::vector<int>(count, 0));
    std::vector<int> launched(count, 0);
    std::map<TileId, std::pair<int, int>> last;  // of a tile: lane and number on it
    std::vector<std::pair<Lane, std::vector<TileId>>> open;
    for (int step = 0; step < 300; ++step) {
      std::vector<TileId> c;
      for (std::int64_t n = random.integer(1, 4); n > 0; --n) c.push_back(random.integer(0, 9));
      const KernelLanes::Choice choice = lanes.start(c);
      const int lane = choice.lane - kFirst;
      for (const Lane other : choice.follow) {
        for (int l = 0; l < count; ++l)
          before[lane][l] = std::max(before[lane][l], before[other - kFirst][l]);
      }
      ++launched[lane];
      for (const TileId tile : c) {
        if (const auto found = last.find(tile); found != last.end()) {
          const auto [on, number] = found->second;
          ASSERT_TRUE(on == lane || before[lane][on] >= number) << "tile " << tile;
        }
      }
      for (const TileId tile : c) last[tile] = {lane, launched[lane]};
      before[lane][lane] = launched[lane];
      open.emplace_back(choice.lane, c);
      if (random.real() < 0.6) {  // the oldest launch of some lane ends
        const auto done = std::find_if(open.begin(), open.end(),
                                       [&, l = open[random.integer(0, std::ssize(open) - 1)].first](
                                           const auto& o) { return o.first == l; });
        const int l = done->first - kFirst;  // what has ended comes before everything else
        int still_open = 0;
        for (const auto& o : open) still_open += o.first == done->first;
        for (auto& lane_before : before)
          lane_before[l] = std::max(lane_before[l], launched[l] - still_open + 1);
        lanes.ended(done->first, done->second);
        open.erase(done);
      }
    }
  }
}

}  // namespace
}  // namespace foretile::kernel_lanes_test
