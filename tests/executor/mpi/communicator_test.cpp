// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "executor/cpu/binding.hpp"
#include "executor/mpi/machine_of.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::communicator_test {
namespace {

/// As if a launcher had distributed ranks round-robin over two nodes: those with even numbers come first.
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

/// A node of 16 cores: launchers bind 4 ranks to 4 each, or none, or each to one.
TEST(PlaceWithCores, SharesWhatTheRanksMayUse) {
  for (const int own : {4, 16}) {
    const RankOnNode place = place_with_cores(2, 4, own, 16);
    EXPECT_EQ(place.cores, 4);
    EXPECT_EQ(place.node_cores, 16);
  }
  EXPECT_EQ(place_with_cores(2, 4, 1, 4).cores, 1);
  EXPECT_EQ(place_with_cores(2, 4, 1, 4).node_cores, 4);
  EXPECT_EQ(place_with_cores(2, 4, 2, 2).cores, 1);  // more ranks than cores
  EXPECT_EQ(place_with_cores(0, 1, 0, 0).cores, 1);  // unknown
}

/// Each rank of this machine is bound to one core: together they have as many as there are ranks or cores.
TEST(CoresOfNode, AreThoseOfAllItsRanks) {
  const std::vector<int> all = allowed_cpus();
  const auto place = static_cast<std::size_t>(world_rank()) % all.size();
  MPI_Comm fresh = MPI_COMM_NULL;  // does not know its place yet
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &fresh);
  bind_thread({&all[place], 1});
  const int cores = cores_of_node(fresh);
  const Machine machine = machine_of(fresh, "here", cores);
  bind_thread(all);
  EXPECT_EQ(cores, std::min(world_size(), static_cast<int>(all.size())));
  if (machine.platform.estimated) {  // else this machine was calibrated
    EXPECT_EQ(machine.platform.devices_per_node(), cores);
  }
  MPI_Comm_free(&fresh);
}

TEST(CoresOfNode, AreUsedByRanksThatWereBoundToOne) {
  const std::vector<int> all = allowed_cpus();
  bind_thread({&all[static_cast<std::size_t>(world_rank()) % all.size()], 1});
  use_cores_of_node(MPI_COMM_WORLD);
  const auto used = allowed_cpus();
  bind_thread(all);
  EXPECT_EQ(used.size(), std::min(static_cast<std::size_t>(world_size()), all.size()));
}

}  // namespace
}  // namespace foretile::communicator_test
