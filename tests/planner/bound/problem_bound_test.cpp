// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "planner/bound/bound.hpp"
#include "tests/planner/unequal_tiles.hpp"

namespace foretile::problem_bound_test {
namespace {

constexpr Sources kGeneratedB{Source::given, Source::generated};

void expect_bound(const Contraction& problem, const Machine& machine, double seconds,
                  const std::string& limit) {
  const Bound found = problem_bound(problem, machine, kGeneratedB);
  EXPECT_NEAR(found.seconds, seconds, 1e-9 * seconds);
  EXPECT_EQ(found.limit, limit);
}

/// Two products of 12,000 flop at 1 Gflop/s on two devices; the tile of B takes 4.8 us of a core before.
TEST(ProblemBound, OneProductWithItsTiles) {
  const UnequalTiles example;
  expect_bound(example.problem, example.machine, 12e-6 + 4.8e-6, "one product with its tiles");
}

/// As above, with its C of 2400 bytes written back at 1 kB/s.
TEST(ProblemBound, CIsWrittenBack) {
  UnequalTiles example;
  example.machine.platform.links.device_to_host = {0, 1e3};
  expect_bound(example.problem, example.machine, 12e-6 + 4.8e-6 + 2.4, "one product with its tiles");
}

/// Three products for one tile of C: 3 x 8 us; with C given by the host they still are one device's.
TEST(ProblemBound, TheProductsOfOneTileOfC) {
  const Contraction problem{"",
                            Tiling::uniform(20, 20),
                            Tiling::uniform(10, 10),
                            Tiling::uniform(60, 20),
                            Shape::dense(1, 3),
                            Shape::dense(3, 1),
                            Shape::dense(1, 1),
                            0};
  Machine machine = small_machine(4, 1, 100000, 100000);
  expect_bound(problem, machine, 24e-6, "the products of one tile of C");
  machine.platform.device.kind = DeviceKind::core;
  expect_bound(problem, machine, 24e-6, "the products of one tile of C");
  machine.platform.solo_speedup = 2;  // of a core that others leave alone
  expect_bound(problem, machine, 12e-6, "the products of one tile of C");
}

/// 2 tiles of A, 1 of B and 2 of C, or 7 copies where C is read, on two devices; 1 s each.
TEST(ProblemBound, Copies) {
  UnequalTiles example;
  example.machine.platform.runtime.copy_overhead_s = 1;
  expect_bound(example.problem, example.machine, 2.5, "copies of all devices");
  example.problem.beta = 1;
  expect_bound(example.problem, example.machine, 3.5, "copies of all devices");
  example.machine.platform.runtime.unpinned.generated_bytes_per_s = 1e3;  // B: 4.8 s more
  expect_bound(example.problem, example.machine, (7 + 4.8) / 2, "copies of all devices");
}

/// Two rows of ranks: the tile of B comes to both, the last copy of 6.
TEST(ProblemBound, EachRowOfRanksNeedsB) {
  UnequalTiles example;
  example.machine.platform.runtime.copy_overhead_s = 1;
  EXPECT_NEAR(problem_bound(example.problem, example.machine, kGeneratedB, {2, 1}).seconds, 3, 1e-9);
  EXPECT_NEAR(problem_bound(example.problem, example.machine, kGeneratedB, {100, 1}).seconds, 3, 1e-9);
}

/// 3 x 3 products of 8 us for as many tiles of C, on 4 ranks with one device each. Distributed to 2 x 2
/// ranks, the first has rows 0 and 2, and columns 0 and 2: 4 products. Distributed to 2 rows only, the first
/// row has 6 on two devices.
TEST(ProblemBound, PartsOfCAsTheyAreDistributed) {
  const Contraction problem{"",
                            Tiling::uniform(60, 20),
                            Tiling::uniform(30, 10),
                            Tiling::uniform(20, 20),
                            Shape::dense(3, 1),
                            Shape::dense(1, 3),
                            Shape::dense(3, 3),
                            0};
  Machine machine = small_machine(4, 1, 100000, 100000);
  EXPECT_NEAR(problem_bound(problem, machine, kGeneratedB).seconds, 18e-6, 1e-15);
  EXPECT_NEAR(problem_bound(problem, machine, kGeneratedB, {2, 2}).seconds, 32e-6, 1e-15);
  EXPECT_NEAR(problem_bound(problem, machine, kGeneratedB, {2, 1}).seconds, 24e-6, 1e-15);
  machine.platform.runtime.message_overhead_s = 1;
  const auto seconds = [&](Source b, const DistributionOfC& distribution) {
    return problem_bound(problem, machine, {Source::given, b}, distribution).seconds;
  };
  // 3 tiles of A, each sent and received once, by 4 ranks; where B is given, 3 of B too.
  EXPECT_NEAR(seconds(Source::generated, {2, 2}), 2 * 3 / 4.0, 1e-9);
  EXPECT_NEAR(seconds(Source::given, {2, 2}), 2 * 6 / 4.0, 1e-9);
  EXPECT_NEAR(seconds(Source::given, {1, 4}), 2 * 6 / 4.0, 1e-9);  // of A to 3 columns, twice
  EXPECT_LT(seconds(Source::given, {1, 1}), 1);
}

/// 16 tiles of B, 480 bytes each and each for one product, on 8 cores or two devices at 10 B/s.
TEST(ProblemBound, Generation) {
  UnequalTiles example;
  example.problem.n = Tiling::uniform(48, 3);
  example.problem.b = Shape::dense(1, 16);
  example.problem.c = Shape::dense(2, 16);
  example.machine.platform.generation_bytes_per_s_per_core = 10;
  expect_bound(example.problem, example.machine, 16 * 48.0 / 8, "generation on all cores");
  example.machine.platform.generation_bytes_per_s_on_device = 10;
  expect_bound(example.problem, example.machine, 16 * 48.0 / 2, "generation on all devices");
}

/// 4.8 MB on the four cores of one rank, 1.2 MB each, before one of two products of 12 ms.
TEST(ProblemBound, CoresOfARankMakeALargeTile) {
  UnequalTiles example;
  example.problem.n = Tiling::uniform(30000, 30000);
  example.machine.platform.generation_bytes_per_s_per_core = 1e3;
  expect_bound(example.problem, example.machine, 1200 + 12e-3, "one product with its tiles");
}

/// Only the first tile of C is kept: the second tile of A has no product, and is not loaded. 1600 + 4800
/// bytes at 2 kB/s to two devices.
TEST(ProblemBound, TilesWithoutProductsAreNotLoaded) {
  UnequalTiles example;
  example.problem.c = Shape(2, 1, {{0, 0}});
  example.machine.platform.links.host_to_device = {0, 1e3};
  expect_bound(example.problem, example.machine, 3.2, "loads of all devices");
}

TEST(ProblemBound, OfNothing) {
  UnequalTiles example;
  example.problem.c = Shape(2, 1, {});
  EXPECT_EQ(problem_bound(example.problem, example.machine, kGeneratedB).seconds, 0);
}

}  // namespace
}  // namespace foretile::problem_bound_test
