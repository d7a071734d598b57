// SPDX-License-Identifier: BSD-3-Clause
// Every grid of 2 to 8 ranks in every order of nodes, on 200 random problems: right or refused, and the same
// bits however the ranks are in nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "tests/planner/all_grids.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/scheduler/fake_backend.hpp"
#include "tests/scheduler/numbers_of_c.hpp"

namespace foretile::scheduler_grids_test {
namespace {

constexpr std::uint64_t kProblems = 200;

/// Each problem runs on one grid in so many of each number of ranks; FORETILE_TEST_GRID_SHARE=1: on all.
std::size_t share() {
  const char* const wanted = std::getenv("FORETILE_TEST_GRID_SHARE");
  return wanted ? std::stoul(wanted) : 8;
}

struct Totals {
  int right = 0, refused = 0, made = 0;
};

/// Only additions know alpha, and a beta that is neither 0 nor 1.
GridProblem with_factors(GridProblem problem, const AlongAxes& grid, std::uint64_t seed) {
  if (grid[Axis::r] == 1 && problem.settings.at("device_layers") == "1") return problem;
  if (seed % 2 == 0) problem.contraction.alpha = 0.75;
  if (problem.contraction.reads_c() && seed % 3 == 0) problem.contraction.beta = 0.3;
  return problem;
}

/// In all orders of nodes.
void check_grid(const GridProblem& problem, const AlongAxes& grid, std::uint64_t seed, Totals& totals) {
  const auto expected = numbers_of_c(problem.contraction);
  std::map<std::vector<std::vector<int>>, std::map<TileId, double>> bits;  // by order of additions
  for (const AlongAxes& node : node_orders(grid)) {
    SCOPED_TRACE(fmt::format("grid {} of nodes {}", text_of(grid), text_of(node)));
    const Machine machine =
        small_machine(grid.product(), problem.devices, problem.device_bytes, 1 << 24, node.product());
    Settings settings = problem.settings;
    settings["grid"] = text_of(grid);
    settings["grid.node"] = text_of(node);
    const std::optional<Plan> plan = plan_or_refusal(problem.contraction, machine, settings);
    if (!plan) {
      ++totals.refused;
      continue;
    }
    SchedulerOptions options;
    options.ranks_per_node = machine.ranks_per_node;
    options.devices.assign(static_cast<std::size_t>(problem.devices),
                           {.batch = 1 + static_cast<int>(seed % 3)});
    FakeCluster cluster(*plan, problem.contraction, options, seed);
    cluster.run();
    expect_numbers(cluster, expected);
    const auto [same, fresh] = bits.emplace(turns_of_sums(problem.settings, grid, node), cluster.c);
    EXPECT_TRUE(fresh || same->second == cluster.c) << "other bits than in other nodes";
    ++totals.right;
    totals.made += plan->operands.b.generated() ? 1 : 0;
  }
}

TEST(Grids, AreRightInAllOrdersOfNodes) {
  Totals totals;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const GridProblem problem = grid_problem(seed);
    for (int ranks = 2; ranks <= 8; ++ranks) {
      const std::vector<AlongAxes> grids = grids_of(ranks);
      for (std::size_t g = seed % share(); g < grids.size(); g += share())
        check_grid(with_factors(problem, grids[g], seed), grids[g], seed, totals);
    }
    if (HasFailure()) return;
  }
  RecordProperty("right", totals.right);
  RecordProperty("refused", totals.refused);
  const int part = static_cast<int>(share());
  EXPECT_GE(totals.right, 16000 / part);
  EXPECT_GE(totals.made, 4000 / part);
  EXPECT_GE(totals.refused, 1600 / part);
}

TEST(Grids, TheseAreAll) {
  int grids = 0, orders = 0;
  for (int ranks = 2; ranks <= 8; ++ranks) {
    for (const AlongAxes& grid : grids_of(ranks)) {
      ++grids;
      orders += static_cast<int>(node_orders(grid).size());
    }
  }
  EXPECT_EQ(grids, 3 + 3 + 6 + 3 + 9 + 3 + 10);
  EXPECT_EQ(orders, 6 + 6 + (3 * 3 + 3 * 4) + 6 + (3 * 4 + 6 * 4) + 6 + (3 * 4 + 6 * 6 + 8));
}

}  // namespace
}  // namespace foretile::scheduler_grids_test
