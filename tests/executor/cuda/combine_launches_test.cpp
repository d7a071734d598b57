// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/combine_launches.hpp"

#include <gtest/gtest.h>

#include "../random_combine.hpp"
#include "base/error.hpp"
#include "combine_threads.hpp"

namespace foretile::combine_launches_test {
namespace {

CombineWork work_of(const std::vector<std::int64_t>& extents, const std::vector<int>& permutation) {
  const TileToCombine tile{.extents = extents, .permutation = permutation};
  return combine_launches({&tile, 1}).at(0).tiles[0];
}

/// Two blocks of 1024 elements and one of 8.
TEST(CombineLaunches, WithoutPermutationElementsAreInARow) {
  const CombineWork work = work_of({8, 257}, {});
  EXPECT_EQ(work.turned, 0);
  EXPECT_EQ(work.blocks, 3);
}

/// 40 x 70 elements: 2 x 3 squares of 32, the last one 8 x 6. `from` is 70 x 40.
TEST(CombineLaunches, ATransposeIsCutIntoSquares) {
  const CombineWork work = work_of({40, 70}, {1, 0});
  EXPECT_EQ(work.turned, 1);
  EXPECT_EQ(work.blocks, 6);
  const Square last = square_of(work, 5);
  EXPECT_EQ(last.rows, 8);
  EXPECT_EQ(last.columns, 6);
  EXPECT_EQ(last.from, 32 * 70 + 64);
  EXPECT_EQ(last.to, 32 + 64 * 40);
  EXPECT_EQ(last.from_stride, 70);
  EXPECT_EQ(last.to_stride, 40);
}

/// `to` is 9 x 5 x 10 and `from` 10 x 9 x 5: of the 9 and the 10 there is one square for each of the 5.
TEST(CombineLaunches, OtherIndicesAreCountedThrough) {
  const CombineWork work = work_of({9, 5, 10}, {1, 2, 0});
  EXPECT_EQ(work.count, 2);  // 9 and 5 stay neighbours
  EXPECT_EQ(work_of({9, 5, 10}, {2, 1, 0}).turned, 2);
  EXPECT_EQ(work_of({9, 5, 10}, {2, 1, 0}).blocks, 5);
}

TEST(CombineLaunches, ShortExtentsAreNotTurned) {
  EXPECT_EQ(work_of({7, 100}, {1, 0}).turned, 0);
  EXPECT_EQ(work_of({100, 7}, {1, 0}).turned, 0);
  EXPECT_EQ(work_of({8, 8}, {1, 0}).turned, 1);
  EXPECT_EQ(work_of({8, 5, 8}, {0, 2, 1}).turned, 0);  // the fastest index stays the fastest
}

TEST(CombineLaunches, ALaunchHasSoManyTiles) {
  const std::vector<std::int64_t> extents{3}, nothing{0};
  std::vector<TileToCombine> tiles(45, {.extents = extents, .permutation = {}});
  tiles[7].extents = nothing;
  const std::vector<CombineLaunch> launches = combine_launches(tiles);
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].count, kMostTilesInLaunch);
  EXPECT_EQ(launches[2].count, 44 - 2 * kMostTilesInLaunch);
  EXPECT_TRUE(combine_launches({}).empty());
}

TEST(CombineLaunches, RefuseWhatIsNoPermutation) {
  EXPECT_THROW(work_of({2, 2}, {0, 0}), InputError);
  EXPECT_THROW(work_of(std::vector<std::int64_t>(9, 1), {0, 1, 2, 3, 4, 5, 6, 7, 8}), InputError);
}

/// With beta = factor = 1 an element that is written twice is not what is expected.
template <class Real>
void expect_the_bits_of_the_cores() {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RandomCombine<Real> x = random_combine<Real>(random);
    const TileToCombine tile =
        x.tile(std::as_bytes(std::span(x.from)).data(), std::as_writable_bytes(std::span(x.to)).data());
    for (const CombineLaunch& launch : combine_launches({&tile, 1})) play_threads<Real>(launch.tiles[0]);
    ASSERT_EQ(x.to, x.expected);
  }
}

TEST(CombineThreads, GiveTheBitsOfTheCores) {
  expect_the_bits_of_the_cores<double>();
  expect_the_bits_of_the_cores<float>();
}

/// How often each element of `to` is written, and from where.
TEST(CombineThreads, WriteEveryElementOnce) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<std::int64_t> extents = random_extents(random, 5000);
    const std::vector<int> permutation = random_permutation(random, extents.size());
    const TileToCombine tile{.extents = extents, .permutation = permutation};
    for (const CombineLaunch& launch : combine_launches({&tile, 1})) {
      const CombineWork& work = launch.tiles[0];
      std::vector<int> written(static_cast<std::size_t>(work.elements)), read(written.size());
      const auto visit = [&](std::int64_t from, std::int64_t to) {
        ASSERT_EQ(from, place_in_from(work, to));
        ++written.at(static_cast<std::size_t>(to));
        ++read.at(static_cast<std::size_t>(from));
      };
      if (work.turned == 0) {
        for (std::int64_t e = 0; e < work.elements; ++e) visit(place_in_from(work, e), e);
      } else {
        for (std::int64_t block = 0; block < work.blocks; ++block) {
          const Square s = square_of(work, block);
          for (int row = 0; row < s.rows; ++row) {
            for (int column = 0; column < s.columns; ++column)
              visit(s.from + row * s.from_stride + column, s.to + row + column * s.to_stride);
          }
        }
      }
      EXPECT_EQ(written, std::vector<int>(written.size(), 1));
      EXPECT_EQ(read, written);
    }
  }
}

/// A transpose of 65537 x 65539 elements, more than 32 bits count: element (i, j) of `to` is i + 65537 j, and
/// j + 65539 i in `from`. Elements of all squares are as many as there are.
TEST(CombineThreads, CountBeyond32Bits) {
  constexpr std::int64_t rows = 65537, columns = 65539;
  const CombineWork work = work_of({rows, columns}, {1, 0});
  ASSERT_EQ(work.turned, 1);
  std::int64_t elements = 0;
  for (std::int64_t block = 0; block < work.blocks; ++block) {
    const Square s = square_of(work, block);
    const std::int64_t i = s.to % rows, j = s.to / rows;
    ASSERT_EQ(s.from, j + i * columns);
    ASSERT_LE(i + s.rows, rows);
    ASSERT_LE(j + s.columns, columns);
    elements += std::int64_t{s.rows} * s.columns;
  }
  EXPECT_EQ(elements, rows * columns);
}

/// The same with rows too short to be turned: (i, j) of 5 x 2^31 comes from j + 2^31 i.
TEST(CombineThreads, FindPlacesBeyond32Bits) {
  constexpr std::int64_t columns = std::int64_t{1} << 31;
  const CombineWork work = work_of({5, columns}, {1, 0});
  ASSERT_EQ(work.turned, 0);
  EXPECT_EQ(place_in_from(work, 5 * (columns - 1) + 4), columns - 1 + 4 * columns);
  EXPECT_EQ(place_in_from(work, 5 * std::int64_t{7} + 3), 7 + 3 * columns);
  EXPECT_EQ(work.blocks, 5 * columns / 1024);
  const CombineWork plain = work_of({columns, 4}, {});
  EXPECT_EQ(place_in_from(plain, 4 * columns - 1), 4 * columns - 1);
  EXPECT_EQ(plain.blocks, 4 * columns / 1024);
}

}  // namespace
}  // namespace foretile::combine_launches_test
