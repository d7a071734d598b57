// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/pinned_pool.hpp"

#include <gtest/gtest.h>

#include "executor/gpu/stand_in.hpp"
#include "executor/tiles/tile_buffer.hpp"

namespace foretile::pinned_pool_test {
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

}  // namespace
}  // namespace foretile::pinned_pool_test
