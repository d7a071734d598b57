// Every grid of 2 to 8 ranks in every order of nodes, on 200 random problems: right or refused, and the same
// bits however the ranks lie in nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/all_grids.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/scheduler/fake_backend.hpp"

namespace foretile {
namespace {

constexpr std::uint64_t kProblems = 200;

/// Each problem runs on one grid in so many of each number of ranks; 1 with FORETILE_TEST_ALL_GRIDS.
std::size_t share() {
  return std::getenv("FORETILE_TEST_ALL_GRIDS") ? 1 : 8;
}

/// Of each tile of C: its number by the sum over K alone, without a plan, and the sum of the sizes of its
/// terms.
std::map<TileId, std::pair<double, double>> reference(const Contraction& p) {
  std::map<TileId, std::pair<double, double>> c;
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile) {
    double sum = 0;
    for (std::int32_t k = 0; k < p.k.tiles(); ++k) {
      const auto a = p.a.find(p.c.row_of(tile), k);
      const auto b = p.b.find(k, p.c.column_of(tile));
      if (a && b) sum += number_of({Matrix::a, *a}) * number_of({Matrix::b, *b});
    }
    const double before = p.reads_c() ? number_of({Matrix::c, tile}) : 0;
    c[tile] = {p.beta.real() * before + p.alpha.real() * sum,
               std::abs(p.beta.real()) * before + std::abs(p.alpha.real()) * sum};
  }
  return c;
}

struct Totals {
  int right = 0, refused = 0, made = 0;
};

/// The plan, or nothing where it is refused, which must say how many bytes are missing.
std::optional<Plan> plan_of(const GridProblem& problem, const Machine& machine, const Settings& settings) {
  try {
    Plan plan = make_plan(problem.contraction, machine, settings);
    verify(plan, problem.contraction);
    return plan;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(" bytes are missing"), std::string::npos) << error.what();
    return std::nullopt;
  }
}

/// Only additions know alpha, and a beta that is neither 0 nor 1.
GridProblem with_factors(GridProblem problem, const AlongAxes& grid, std::uint64_t seed) {
  if (grid[Axis::r] == 1 && problem.settings.at("device_layers") == "1") return problem;
  if (seed % 2 == 0) problem.contraction.alpha = 0.75;
  if (problem.contraction.reads_c() && seed % 3 == 0) problem.contraction.beta = 0.3;
  return problem;
}

/// In all orders of nodes.
void check_grid(const GridProblem& problem, const AlongAxes& grid, std::uint64_t seed, Totals& totals) {
  const auto expected = reference(problem.contraction);
  std::map<std::vector<std::vector<int>>, std::map<TileId, double>> bits;  // by order of additions
  for (const AlongAxes& node : node_orders(grid)) {
    SCOPED_TRACE(fmt::format("grid {} of nodes {}", text_of(grid), text_of(node)));
    const Machine machine =
        small_machine(grid.product(), problem.devices, problem.device_bytes, 1 << 24, node.product());
    Settings settings = problem.settings;
    settings["grid"] = text_of(grid);
    settings["grid.node"] = text_of(node);
    const std::optional<Plan> plan = plan_of(problem, machine, settings);
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
    EXPECT_TRUE(cluster.complaints.empty()) << cluster.complaints.front();
    EXPECT_EQ(cluster.c.size(), expected.size());
    for (const auto& [tile, number] : cluster.c)
      EXPECT_NEAR(number, expected.at(tile).first, 1e-12 * expected.at(tile).second) << "C" << tile;
    const auto [same, fresh] = bits.emplace(turns_of_sums(problem.settings, grid, node), cluster.c);
    EXPECT_TRUE(fresh || same->second == cluster.c) << "other bits than in other nodes";
    ++totals.right;
    totals.made += plan->operands.b.made() ? 1 : 0;
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
  EXPECT_GE(totals.right, 2000);
  EXPECT_GE(totals.made, 500);
  EXPECT_GE(totals.refused, 200);
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
}  // namespace foretile
