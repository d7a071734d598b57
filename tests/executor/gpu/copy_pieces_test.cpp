// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/copy_pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/random.hpp"
#include "executor/gpu/stand_in.hpp"

namespace foretile::copy_pieces_test {
namespace {

class CopyPieces : public ::testing::Test {
 protected:
  /// Tiles of `bytes` from `from` to `to`, in memory of this test.
  void add(std::int64_t to, std::int64_t from, std::int64_t bytes) {
    add_piece(pieces_, {there_.data() + to, here_.data() + from, bytes}, true);
  }
  std::array<std::byte, 20'000> here_{}, there_{};
  std::vector<CopyPiece> pieces_;
};

TEST_F(CopyPieces, TilesWithoutGapsAreOne) {
  add(0, 100, 64);
  add(64, 164, 32);
  ASSERT_EQ(pieces_.size(), 1U);
  EXPECT_EQ(pieces_[0].bytes, 96);
  EXPECT_EQ(pieces_[0].count, 1);
}

/// Tiles of 95 x 5 doubles: 3800 bytes, of which the device makes 3840; in a message they are side by side.
TEST_F(CopyPieces, TilesOfOddSizeAreRowsOfOne) {
  for (int tile = 0; tile < 4; ++tile) add(tile * 3840, tile * 3800, 3800);
  ASSERT_EQ(pieces_.size(), 1U);
  EXPECT_EQ(pieces_[0].count, 4);
  EXPECT_EQ(pieces_[0].to_step, 3840);
  EXPECT_EQ(pieces_[0].from_step, 3800);
}

TEST_F(CopyPieces, OthersStayApart) {
  add(0, 0, 100);
  add(256, 100, 96);    // another size
  add(8000, 196, 96);   // far away
  add(7000, 1000, 96);  // before the last one
  add(7256, 1100, 96);  // close to it
  add(7512, 1300, 96);  // at another step than the two before
  ASSERT_EQ(pieces_.size(), 5U);
  EXPECT_EQ(pieces_[3].count, 2);
}

TEST_F(CopyPieces, GapsAreKeptToWhereTheyAreUnderstood) {
  for (std::int64_t at : {0, 256, 512})
    add_piece(pieces_, {there_.data() + at, here_.data() + at, 100}, false);
  EXPECT_EQ(pieces_.size(), 3U);
}

TEST_F(CopyPieces, EveryByteArrives) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    pieces_.clear();
    there_.fill(std::byte{0});
    for (std::byte& byte : here_) byte = static_cast<std::byte>(random.integer(1, 255));
    auto wanted = there_;
    std::int64_t to = 0, from = 0;
    while (to < 8000 && from < 8000) {
      const std::int64_t bytes = random.integer(1, 3) * 40;
      add(to, from, bytes);
      std::memcpy(wanted.data() + to, here_.data() + from, static_cast<std::size_t>(bytes));
      to += bytes + random.integer(0, 1) * 16;
      from += bytes + random.integer(0, 1) * 8;
    }
    StandInGpus gpus;
    const auto gpu = gpus.open(0, 1);
    gpu->copy(kInLane, pieces_);
    for (const std::uint64_t point = gpu->mark(kInLane); gpu->reached(kInLane) < point;) gpus.pause(1e-3);
    EXPECT_EQ(there_, wanted);
  }
}

}  // namespace
}  // namespace foretile::copy_pieces_test
