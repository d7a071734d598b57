// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/gather.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile::gather_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

TEST(MpiCounts, TakesWhatAnIntCounts) {
  EXPECT_EQ(mpi_counts({3, 0, kMost - 3}, "events"), (std::vector<int>{3, 0, static_cast<int>(kMost - 3)}));
}

TEST(MpiCounts, RefusesMoreInAll) {
  for (const auto& counts : {std::vector<std::int64_t>{kMost, 1}, {kMost + 1}}) {
    try {
      mpi_counts(counts, "events");
      FAIL();
    } catch (const WorkError& error) {
      EXPECT_NE(std::string(error.what()).find("2147483648 events"), std::string::npos) << error.what();
    }
  }
}

TEST(Gather, BringsEventsInOrderOfRanks) {
  const Rank rank = rank_in(MPI_COMM_WORLD);
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<TraceEvent> mine(static_cast<std::size_t>(rank));
  for (TraceEvent& event : mine) event.rank = rank;
  const std::vector<TraceEvent> all = gather_events(mine, MPI_COMM_WORLD);
  ASSERT_EQ(all.size(), rank == 0 ? static_cast<std::size_t>(size * (size - 1) / 2) : 0U);
  for (std::size_t n = 1; n < all.size(); ++n) EXPECT_LE(all[n - 1].rank, all[n].rank);
  const std::vector<std::string> texts =
      gather_texts(std::string(static_cast<std::size_t>(rank), 'x'), MPI_COMM_WORLD);
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < texts.size(); ++n) EXPECT_EQ(texts[n], std::string(n, 'x'));
}

}  // namespace
}  // namespace foretile::gather_test
