// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/probe.hpp"

#include <gtest/gtest.h>

namespace foretile::probe_test {
namespace {

/// Any core of this century, and none of the next ones.
TEST(Probe, GivesARate) {
  for (const int threads : {1, 2}) {
    const double rate = probe_flops_per_s(threads, 0.001);
    EXPECT_GT(rate, 1e7);
    EXPECT_LT(rate, threads * 1e13);
  }
}

}  // namespace
}  // namespace foretile::probe_test
