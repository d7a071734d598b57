// SPDX-License-Identifier: BSD-3-Clause
// The strategy of docs/tutorials/strategy.md, which is not in the list of strategies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "planner/plan/products_of_tile.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {

std::unique_ptr<Strategy> columns();

namespace {

Settings defaults_of(const Strategy& strategy) {
  Settings settings;
  for (const ParameterInfo& parameter : strategy.parameters())
    settings[parameter.key] = parameter.default_value;
  return settings;
}

Plan plan_of(const Contraction& contraction, const Machine& machine) {
  const auto strategy = columns();
  const auto planner = strategy->prepare(contraction, machine, defaults_of(*strategy), {});
  Plan plan{planner->frame(), {}};
  for (int rank = 0; rank < plan.grid.size(); ++rank)
    plan.ranks.push_back(planner->plan_rank(Rank::of(rank)));
  return plan;
}

std::int64_t products_of(const Contraction& contraction) {
  std::int64_t products = 0;
  for (TileId c = 0; c < contraction.c.nonzeros(); ++c)
    for_each_product_of(contraction, c, [&](TileId, TileId) { ++products; });
  return products;
}

/// The verifier proves that each product is done once and that every tile is where it is used.
TEST(Columns, PlansAreProven) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Contraction contraction = random_small_contraction(random);
    contraction.sources.b = Source::given;
    const Machine machine =
        small_machine(static_cast<int>(random.integer(1, 5)), static_cast<int>(random.integer(1, 3)),
                      std::int64_t{1} << 30, std::int64_t{1} << 30);
    const Plan plan = plan_of(contraction, machine);
    EXPECT_EQ(verify(plan, contraction).gemms, products_of(contraction));
  }
}

}  // namespace
}  // namespace foretile
