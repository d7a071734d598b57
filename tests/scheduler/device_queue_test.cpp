// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/device_queue.hpp"

#include <gtest/gtest.h>

namespace foretile::device_queue_test {
namespace {

/// A is 2 x 1 tiles, B 1 x 1: both tiles of A meet the one of B. One block of two chunks.
struct TwoChunks {
  Contraction problem{"",
                      Tiling::uniform(4, 2),
                      Tiling::uniform(2, 2),
                      Tiling::uniform(2, 2),
                      Shape::dense(2, 1),
                      Shape::dense(1, 1),
                      Shape::dense(2, 1),
                      0};
  RankPlan plan{{DevicePlan{{{{0}, {{{0}}, {{1}}}}}}}, {}};
  BlockPool pool{PlanFrame{}, plan, problem};
  TileStates tiles{1};
  DeviceQueue queue(OnDevice b) {
    return {problem, pool, 0, b, {}, DeviceMemory(tiles, 0, 1000, [](TileRef) {})};
  }
};

std::vector<TileRef> tiles_of(DeviceQueue& queue, std::size_t chunk) {
  std::vector<TileRef> tiles;
  for (const Item& item : queue.chunk(chunk)->items) tiles.push_back(item.tile);
  return tiles;
}

constexpr TileRef kA0{Matrix::a, 0}, kA1{Matrix::a, 1}, kB{Matrix::b, 0};

TEST(DeviceQueue, BThatStaysIsListedOnceInABlock) {
  TwoChunks example;
  DeviceQueue queue = example.queue(OnDevice::stays);
  EXPECT_EQ(tiles_of(queue, 0), (std::vector{kB, kA0}));
  EXPECT_EQ(tiles_of(queue, 1), (std::vector{kA1}));
}

TEST(DeviceQueue, BThatStreamsIsListedByEachChunk) {
  TwoChunks example;
  DeviceQueue queue = example.queue(OnDevice::streams);
  EXPECT_EQ(tiles_of(queue, 0), (std::vector{kB, kA0}));
  EXPECT_EQ(tiles_of(queue, 1), (std::vector{kB, kA1}));
}

/// A cursor behind the last item of a chunk stands before the next chunk, expanded or not.
TEST(DeviceQueue, KnowsTheNextChunkOfACursor) {
  TwoChunks example;
  DeviceQueue queue = example.queue(OnDevice::streams);
  EXPECT_EQ(queue.next_chunk(queue.loading), 0U);
  EXPECT_NE(queue.chunk(0), nullptr);
  queue.loading = {0, 1};
  EXPECT_EQ(queue.next_chunk(queue.loading), 0U);
  queue.loading = {0, 2};
  EXPECT_EQ(queue.next_chunk(queue.loading), 1U);
  queue.loading = {1, 0};
  EXPECT_EQ(queue.next_chunk(queue.loading), 1U);
}

/// The loading cursor may stand behind the last item, or at the chunk behind the last.
TEST(DeviceQueue, LoadsAreOverBehindTheLastItem) {
  TwoChunks example;
  DeviceQueue queue = example.queue(OnDevice::stays);
  EXPECT_FALSE(queue.loads_over());
  EXPECT_NE(queue.chunk(1), nullptr);
  EXPECT_FALSE(queue.loads_over());
  queue.loading = {1, 0};
  EXPECT_FALSE(queue.loads_over());
  queue.loading = {1, 1};
  EXPECT_TRUE(queue.loads_over());
  queue.loading = {2, 0};
  EXPECT_TRUE(queue.loads_over());
  queue.pop_front();
  queue.pop_front();
  EXPECT_TRUE(queue.loads_over());
  EXPECT_FALSE(queue.chunks_left());
}

}  // namespace
}  // namespace foretile::device_queue_test
