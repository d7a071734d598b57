// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/probe.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace foretile::probe_test {
namespace {

/// 2 * 512^3 + 150 * 2 * 64^3, and 2 * 4^3 + 3 * 2 * 2^3.
TEST(Probe, CountsTheWorkOfARound) {
  EXPECT_EQ(ProbeRound().flops(), 347'078'656);
  EXPECT_EQ((ProbeRound{.large = 4, .small = 2, .small_products = 3}).flops(), 176);
}

/// By the work that is done at least, whatever else runs: each thread makes a round before and three while
/// the clock runs, which take no longer than the call. At most 64 flop in a cycle of 6 GHz.
TEST(Probe, GivesARate) {
  const ProbeRound round{.large = 128, .small = 32, .small_products = 20, .bytes = 1 << 20};
  for (const int threads : {1, 2}) {
    Probe probe(threads, round);
    const auto start = std::chrono::steady_clock::now();
    const double rate = probe.flops_per_s(0.001);
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    EXPECT_GT(rate, threads * 3 * round.flops() / all.count());
    EXPECT_LT(rate, threads * 64 * 6e9);
  }
}

}  // namespace
}  // namespace foretile::probe_test
