// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/memory_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "executor/gpu/stand_in.hpp"
#include "executor/tiles/tile_buffer.hpp"

namespace foretile::memory_pool_test {
namespace {

TEST(PinnedPool, GivesPartsOfOnePieceAndTakesThemBack) {
  StandInGpus gpus;
  PinnedPool pool(gpus, 3 * Arena::kAlignment);
  for (int round = 0; round < 3; ++round) {
    const TileBuffer a(8, &pool), b(8, &pool), c(8, &pool);
    EXPECT_EQ(b.data() - a.data(), Arena::kAlignment);
    EXPECT_EQ(c.data() - b.data(), Arena::kAlignment);
  }
  EXPECT_EQ(pool.overflow_bytes(), 0);
}

TEST(PinnedPool, WhatDoesNotFitIsOrdinaryMemory) {
  StandInGpus gpus;
  PinnedPool pool(gpus, 2 * Arena::kAlignment);
  {
    const TileBuffer a(2 * Arena::kAlignment, &pool);
    TileBuffer outside(800, &pool);
    outside.data()[799] = std::byte{1};
    const TileBuffer more(80, &pool);
    EXPECT_EQ(pool.overflow_bytes(), 880);
  }
  const TileBuffer again(2 * Arena::kAlignment, &pool);
  {
    const TileBuffer outside(840, &pool);
    EXPECT_EQ(pool.overflow_bytes(), 880);  // the most at a time
  }
  const TileBuffer outside(900, &pool);
  EXPECT_EQ(pool.overflow_bytes(), 900);
}

/// Of memory of the caller, which it does not touch.
TEST(MemoryPool, TakesWhatDoesNotFitFromOthers) {
  StandInGpus gpus;
  PinnedPool others(gpus, 4 * Arena::kAlignment);
  std::vector<std::byte> memory(2 * Arena::kAlignment, std::byte{7});
  MemoryPool pool(memory.data(), std::ssize(memory), &others);
  {
    const TileBuffer inside(2 * Arena::kAlignment, &pool), outside(8, &pool);
    EXPECT_EQ(inside.data(), memory.data());
    EXPECT_EQ(pool.overflow_bytes(), 8);
  }
  const TileBuffer again(8, &pool), whole(4 * Arena::kAlignment, &others);
  EXPECT_EQ(again.data(), memory.data());
  EXPECT_EQ(others.overflow_bytes(), 0);  // it has all of its own again
  EXPECT_EQ(memory.front(), std::byte{7});
}

}  // namespace
}  // namespace foretile::memory_pool_test
