// SPDX-License-Identifier: BSD-3-Clause
// Every grid of the ranks of this job in every order of pretended nodes: right or refused, and the same bits
// however the ranks are in nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_grids.hpp"

namespace foretile::mpi_grids_test {
namespace {

/// Random problems, each of which runs on one grid; every grid has one that is not refused at least.
/// FORETILE_TEST_GRID_PROBLEMS=200 is for a run by hand.
std::uint64_t problems() {
  const char* const wanted = std::getenv("FORETILE_TEST_GRID_PROBLEMS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 0;
}

struct Totals {
  int right = 0, refused = 0;
};

void check_grid(const GridProblem& problem, const AlongAxes& grid, Totals& totals) {
  std::map<std::vector<std::vector<int>>, std::string> digests;  // by order of additions
  Machine machine = machine_here(problem.device_bytes, problem.devices * world_size());
  ASSERT_EQ(machine.devices_per_rank, problem.devices);
  Settings settings = problem.settings;
  settings["grid"] = text_of(grid);
  for (const AlongAxes& node : node_orders(grid)) {
    SCOPED_TRACE(testing::Message() << "grid " << text_of(grid) << " of nodes " << text_of(node));
    machine.ranks_of_counted_node = node.product();
    settings["grid.node"] = text_of(node);
    Plan plan;
    try {
      plan = make_plan(problem.contraction, machine, settings);
      verify(plan, problem.contraction);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(" are missing"), std::string::npos) << error.what();
      ++totals.refused;
      continue;
    }
    const RunOutcome outcome = execute(plan, problem.contraction, machine, totals.right % 2 == 1);
    EXPECT_LE(outcome.check.relative_error, 1e-12);
    const auto [same, fresh] =
        digests.emplace(turns_of_sums(problem.settings, grid, node), outcome.check.c_digest);
    EXPECT_EQ(same->second, outcome.check.c_digest);
    ++totals.right;
  }
}

TEST(Grids, AreRightInAllOrdersOfNodes) {
  Totals totals;
  const std::vector<AlongAxes> grids = grids_of(world_size());
  std::size_t orders = 0;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const int before = totals.right;
    orders += node_orders(grids[g]).size();
    for (std::uint64_t seed = g; seed < problems() || (totals.right == before && !HasFailure());
         seed += grids.size()) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
      check_grid(grid_problem(seed), grids[g], totals);
    }
  }
  EXPECT_GE(totals.right, static_cast<int>(orders));
  if (world_rank() == 0)
    fmt::print("{} ranks: {} grids, {} runs, {} plans refused\n", world_size(), grids.size(), totals.right,
               totals.refused);
}

/// Where everything divides and trees enter each node once, ranks send between pretended nodes what the
/// formula says, to the byte: V = sum_i W_i (p_i / m_i - 1), W = 24 x 24 numbers.
TEST(Grids, SendBetweenNodesWhatTheFormulaSays) {
  const auto divides_24 = [](const AlongAxes& grid) {
    return std::ranges::all_of(grid.numbers, [](int ranks) { return 24 % ranks == 0; });
  };
  const auto bytes = [](const AlongAxes& grid, const AlongAxes& node) {
    int crossings = 0;
    for (const Axis axis : kAxes) crossings += grid[axis] / node[axis] - 1;
    return std::int64_t{24} * 24 * 8 * crossings;
  };
  const Tiling ones = Tiling::uniform(24, 1);
  const Shape full = Shape::dense(24, 24);
  const Contraction p{"", ones, ones, ones, full, full, full, 0};
  Machine machine = machine_here(1 << 20, world_size());
  int orders = 0;
  for (const AlongAxes& grid : grids_of(world_size())) {
    if (!divides_24(grid)) continue;
    for (const AlongAxes& node : node_orders(grid)) {
      SCOPED_TRACE(testing::Message() << "grid " << text_of(grid) << " of nodes " << text_of(node));
      machine.ranks_of_counted_node = node.product();
      const Plan plan = make_plan(p, machine,
                                  {{"strategy", "grid-3d"},
                                   {"tree", std::array{"by_node", "chain", "scatter"}[orders++ % 3]},
                                   {"grid", text_of(grid)},
                                   {"grid.node", text_of(node)}});
      const RunOutcome outcome = execute(plan, p, machine, false);
      EXPECT_LE(outcome.check.relative_error, 1e-12);
      std::int64_t between = outcome.run.statistics.sent_between_nodes_bytes;
      MPI_Allreduce(MPI_IN_PLACE, &between, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(between, bytes(grid, node));
    }
  }
  const std::vector<AlongAxes> grids = grids_of(world_size());
  EXPECT_EQ(orders > 0, std::ranges::any_of(grids, divides_24));  // none of 5 or 7 ranks
}

}  // namespace
}  // namespace foretile::mpi_grids_test
