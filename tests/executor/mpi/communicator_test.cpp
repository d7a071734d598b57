// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/communicator.hpp"

#include <gtest/gtest.h>

#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::communicator_test {
namespace {

/// As if a launcher had dealt ranks to two nodes in turn: those with even numbers come first.
TEST(Communicator, NumbersRanksNodeByNode) {
  const int rank = world_rank(), size = world_size();
  MPI_Comm ordered = node_by_node(MPI_COMM_WORLD, Rank::of(rank % 2));
  const int even = (size + 1) / 2;
  EXPECT_EQ(rank_in(ordered), rank % 2 == 0 ? rank / 2 : even + rank / 2);
  EXPECT_EQ(size_of(ordered), size);
  MPI_Comm_free(&ordered);
}

/// All ranks of the test share this machine.
TEST(Communicator, KnowsWhoSharesTheNode) {
  EXPECT_EQ(first_rank_of_node(MPI_COMM_WORLD), 0);
}

}  // namespace
}  // namespace foretile::communicator_test
