// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/tile_sizes.hpp"

#include <gtest/gtest.h>

#include "tests/planner/program/example.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::tile_sizes_test {
namespace {

using Tiles = std::vector<std::int64_t>;

Tiles proposed(std::int64_t occupied, std::int64_t virtuals, std::int64_t device_bytes) {
  return proposed_tiles(ccsd_t2(), {occupied, virtuals, 0}, small_machine(1, 1, device_bytes, device_bytes),
                        "program");
}

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(TileSizes, CutTheLongerSpaceEvenlyLargestFirst) {
  EXPECT_EQ(proposed(92, 500, kPlenty), (Tiles{100, 72, 50, 36}));
  EXPECT_EQ(proposed(500, 92, kPlenty), (Tiles{100, 72, 50, 36}));
  EXPECT_EQ(proposed(6, 12, kPlenty), (Tiles{12, 6, 4, 3}));
  EXPECT_EQ(proposed(1, 1, kPlenty), Tiles{1});
}

/// A block of v of 100^4 numbers and two of t2 of 100^2 92^2 take 2.15 GB, those of tiles of 72 a fifth.
TEST(TileSizes, LeaveRoomOnADevice) {
  EXPECT_EQ(proposed(92, 500, 4'200'000'000), (Tiles{72, 50, 36, 27}));
  EXPECT_EQ(proposed(92, 500, 4'400'000'000).front(), 100);
  EXPECT_TRUE(proposed(92, 500, 40).empty());
}

}  // namespace
}  // namespace foretile::tile_sizes_test
