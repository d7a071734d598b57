// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/runtime_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "executor/mpi/communicator.hpp"

namespace foretile::runtime_options_test {
namespace {

/// An eighth of the time: half as many tiles in each direction, and the least number of rounds.
TEST(RuntimeOptionsWithin, AreSmallWhereTimeIsShort) {
  const RuntimeOptions all = runtime_options(MPI_COMM_WORLD, 100);
  const RuntimeOptions default_options;
  EXPECT_EQ(all.tiles, default_options.tiles);
  EXPECT_EQ(all.large_tiles, default_options.large_tiles);
  EXPECT_EQ(all.polling.rounds, default_options.polling.rounds);
  const RuntimeOptions few = runtime_options(MPI_COMM_WORLD, 2.51);
  EXPECT_EQ(few.tiles, 24);
  EXPECT_EQ(few.large_tiles, 10);
  EXPECT_EQ(few.polling.rounds, 6);
}

/// Each rank has another time left: they execute the works together.
TEST(RuntimeOptionsWithin, AreTheSameOnAllRanks) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const RuntimeOptions mine = runtime_options(MPI_COMM_WORLD, 16 - 4 * rank);
  std::array least{mine.tiles, mine.large_tiles, mine.polling.rounds}, most = least;
  all_reduce(std::span(least), MPI_MIN, MPI_COMM_WORLD, "options");
  all_reduce(std::span(most), MPI_MAX, MPI_COMM_WORLD, "options");
  EXPECT_EQ(least, most);
  EXPECT_EQ(mine.polling.rounds, RuntimeOptions().polling.rounds * 16 / 20);
}

}  // namespace
}  // namespace foretile::runtime_options_test
