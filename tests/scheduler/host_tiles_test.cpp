// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/host_tiles.hpp"

#include <gtest/gtest.h>

namespace foretile::host_tiles_test {
namespace {

/// 2 x 2 tiles on a grid of 1 x 2: rank 0 owns column 0 of A and of B, tiles 0 and 2.
struct Example {
  Contraction problem{"",
                      Tiling::uniform(2, 1),
                      Tiling::uniform(2, 1),
                      Tiling::uniform(2, 1),
                      Shape::dense(2, 2),
                      Shape::dense(2, 2),
                      Shape::dense(2, 2)};
  std::vector<std::pair<int, int>> released;
  std::vector<TileRef> dropped;

  PlanFrame frame = in_grid({1, 2});

  static PlanFrame in_grid(ProcessGrid grid) {
    PlanFrame frame;
    frame.grid = grid;
    return frame;
  }
  HostTiles tiles() {
    return {problem, frame, 0, [this](Rank owner, int number) { released.emplace_back(owner, number); }};
  }
  void end(HostTiles& tiles, Step step) {
    tiles.ended_before(step, [this](TileRef tile) { dropped.push_back(tile); });
  }
};

Message message(Matrix matrix, TileId tile, int number, Step last_step) {
  return {std::make_shared<Transfer>(Transfer{{tile}, {0}, matrix, 0, last_step}), 1, number, 1, 8};
}

TEST(HostTiles, OwnTilesAreThere) {
  Example example;
  const HostTiles tiles = example.tiles();
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    EXPECT_TRUE(tiles.holds({matrix, 0}));
    EXPECT_FALSE(tiles.holds({matrix, 1}));
    EXPECT_TRUE(tiles.holds({matrix, 2}));
  }
}

TEST(HostTiles, AreWhereTheirMessageCameTo) {
  Example example;
  HostTiles tiles = example.tiles();
  tiles.received(message(Matrix::a, 1, 0, 4), 0, messages_on(Device(2)));
  tiles.received(message(Matrix::b, 3, 1, kEver), 0);
  EXPECT_EQ(device_of_messages(tiles.place_of({Matrix::a, 1})), Device(2));
  EXPECT_EQ(tiles.place_of({Matrix::b, 3}), kHost);
  EXPECT_EQ(tiles.place_of({Matrix::a, 0}), kHost);  // an own one
  example.end(tiles, 5);
  EXPECT_EQ(tiles.place_of({Matrix::a, 1}), kHost);
}

TEST(HostTiles, ReceivedOnesLeaveAfterTheirLastStep) {
  Example example;
  HostTiles tiles = example.tiles();
  tiles.received(message(Matrix::a, 1, 0, 4), 0);
  tiles.received(message(Matrix::b, 3, 1, kEver), 0);
  example.end(tiles, 4);
  EXPECT_TRUE(tiles.holds({Matrix::a, 1}));
  EXPECT_TRUE(example.dropped.empty());
  example.end(tiles, 5);
  EXPECT_FALSE(tiles.holds({Matrix::a, 1}));
  ASSERT_EQ(example.dropped.size(), 1U);
  EXPECT_EQ(example.dropped[0], (TileRef{Matrix::a, 1}));
  EXPECT_EQ(example.released, (std::vector<std::pair<int, int>>{{1, 0}}));
  example.end(tiles, kEver);
  EXPECT_TRUE(tiles.holds({Matrix::b, 3}));
}

TEST(HostTiles, AMessageIsReleasedWhenItWasForwardedToo) {
  Example example;
  HostTiles tiles = example.tiles();
  tiles.received(message(Matrix::a, 1, 7, 0), 2);
  tiles.forwarded(1, 7);
  example.end(tiles, 1);
  EXPECT_FALSE(tiles.holds({Matrix::a, 1}));
  EXPECT_TRUE(example.released.empty());
  tiles.forwarded(1, 7);
  EXPECT_EQ(example.released.size(), 1U);
  tiles.forwarded(0, 0);  // own ones are not counted
  tiles.received(message(Matrix::a, 1, 9, 3), 0);
  EXPECT_TRUE(tiles.holds({Matrix::a, 1}));
}

/// Both are dropped, as they came; one is still to be forwarded.
TEST(HostTiles, MessagesOfAStepLeaveTogether) {
  Example example;
  HostTiles tiles = example.tiles();
  tiles.received(message(Matrix::b, 3, 8, 2), 1);
  tiles.received(message(Matrix::a, 1, 7, 2), 0);
  example.end(tiles, 3);
  EXPECT_EQ(example.dropped, (std::vector<TileRef>{{Matrix::b, 3}, {Matrix::a, 1}}));
  EXPECT_EQ(example.released, (std::vector<std::pair<int, int>>{{1, 7}}));
  tiles.forwarded(1, 8);
  EXPECT_EQ(example.released, (std::vector<std::pair<int, int>>{{1, 7}, {1, 8}}));
}

}  // namespace
}  // namespace foretile::host_tiles_test
