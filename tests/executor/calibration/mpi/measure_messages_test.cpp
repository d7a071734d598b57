// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/measure_messages.hpp"

#include <gtest/gtest.h>

#include "executor/mpi/communicator.hpp"

namespace foretile::measure_messages_test {
namespace {

TEST(MeasureMessages, TimesEachSize) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) GTEST_SKIP() << "one rank has no receiver";
  MessageOptions options;
  options.sizes = {1 << 10, 1 << 20};
  options.seconds_per_size = 0.005;
  const MessageFigures found = measure_messages(MPI_COMM_WORLD, options);
  quiet_barrier(MPI_COMM_WORLD);
  if (rank != 0) return;
  ASSERT_EQ(found.samples.size(), 2U);
  EXPECT_EQ(found.samples[1].bytes, 1 << 20);
  for (const MessageSample& s : found.samples) EXPECT_GT(s.seconds, 0);
  EXPECT_GT(found.link.latency_s, 0);
  EXPECT_GT(found.link.bandwidth_bytes_per_s, 1e6);
  EXPECT_FALSE(found.when.empty());
}

}  // namespace
}  // namespace foretile::measure_messages_test
