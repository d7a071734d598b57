// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/in_parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace foretile::in_parallel_test {
namespace {

TEST(InParallel, DoesEachIndexOnce) {
  for (const int threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);
    in_parallel(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(InParallel, ThrowsWhatTheWorkThrows) {
  for (const int threads : {1, 3}) {
    const auto work = [](std::size_t i) {
      if (i == 7) throw std::runtime_error("seven");
    };
    EXPECT_THROW(in_parallel(20, threads, work), std::runtime_error);
  }
}

}  // namespace
}  // namespace foretile::in_parallel_test
