// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_work.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::plan_work_test {
namespace {

/// The plan of strategy=auto is that of the strategy whose plan has the least bound.
TEST(PlanWork, AutoTakesTheLeastBound) {
  int local = 0, others = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c = random_case(seed);
    c.machine.platform.device.memory_bytes = 1 << 20;
    c.machine.platform.runtime.message_overhead_s = 1e-3;
    c.settings = {{"grid.p", c.settings.at("grid.p")}};
    std::map<std::string, double> bounds;
    for (const char* name : {"stationary-b", "local-b"}) {
      c.settings["strategy"] = name;
      bounds[name] = plan_bound(make_plan(c.problem, c.machine, c.settings), c.problem, c.machine).seconds;
    }
    c.settings["strategy"] = "auto";
    const Plan plan = plan_work(c.problem, c.machine, c.settings).plan;
    EXPECT_EQ(plan.strategy, bounds["local-b"] < bounds["stationary-b"] ? "local-b" : "stationary-b");
    ++(plan.strategy == "local-b" ? local : others);
  }
  EXPECT_GT(local, 5);
  EXPECT_GT(others, 5);
}

/// What one strategy refuses another may take; the refusal of all is that of the first.
TEST(PlanWork, AutoSaysWhyNothingFits) {
  RandomCase c = random_case(1);
  c.machine.platform.device.memory_bytes = 10;
  c.settings["strategy"] = "auto";
  EXPECT_THROW(plan_work(c.problem, c.machine, c.settings), InputError);
  c.problem.sources.a = Source::generated;
  EXPECT_THROW(plan_work(c.problem, c.machine, {{"strategy", "auto"}}), InputError);
}

/// The c65-v1 of a laptop: one strategy fits the memory of a rank's device far better than the paper's.
RandomCase two_strategies(std::uint64_t seed) {
  RandomCase c = random_case(seed);
  c.machine.platform.device.memory_bytes = 1 << 20;
  c.settings.clear();
  return c;
}

WorkSeconds fastest_is(const std::string& name) {
  return [name](const Plan& plan, const PlanSummary& summary, const Contraction&, const Machine&, double) {
    EXPECT_GT(summary.gemms, 0);  // it is proven
    return plan.strategy == name ? 1e6 : 2e6;
  };
}

TEST(PlanFastest, TakesWhatIsSaidToTakeLeast) {
  for (const std::string name : {"stationary-b", "grid-3d", "local-b"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const RandomCase c = two_strategies(seed);
      const PlannedWork work = plan_fastest(c.problem, c.machine, {}, {}, fastest_is(name));
      EXPECT_EQ(work.plan.strategy, name);
      EXPECT_EQ(work.compared.size(), 3U);
      EXPECT_EQ(work.decision.find(name + ": 1.00 Ms by a coarse simulation; "), 0U) << work.decision;
      EXPECT_EQ(plan_digest(work.plan), plan_digest(make_plan(c.problem, c.machine, {{"strategy", name}})));
      EXPECT_GT(work.summary.gemms, 0);
    }
  }
}

/// On as many threads as there are: the same plan and the same words.
TEST(PlanFastest, DecidesTheSameAgain) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomCase c = two_strategies(seed);
    const PlannedWork once = plan_fastest(c.problem, c.machine, {}),
                      again = plan_fastest(c.problem, c.machine, {});
    EXPECT_EQ(once.decision, again.decision);
    EXPECT_EQ(plan_digest(once.plan), plan_digest(again.plan));
    EXPECT_NE(once.decision.find("by bounds alone"), std::string::npos) << once.decision;
    const PlannedWork asked = plan_work(c.problem, c.machine, {{"strategy", "auto"}});
    EXPECT_EQ(plan_digest(once.plan), plan_digest(asked.plan));
  }
}

/// A named strategy gives its plan, without a comparison.
TEST(PlanFastest, LeavesANamedStrategyAlone) {
  const RandomCase c = two_strategies(1);
  const PlannedWork work =
      plan_fastest(c.problem, c.machine, {{"strategy", "stationary-b"}}, {}, fastest_is("local-b"));
  EXPECT_EQ(work.plan.strategy, "stationary-b");
  EXPECT_TRUE(work.compared.empty());
  EXPECT_EQ(work.decision, "");
  EXPECT_FALSE(compares_strategies(c.problem, c.machine, {{"strategy", "stationary-b"}}));
}

/// With its settings, which name the strategy, a plan comes out again without a comparison.
TEST(PlanFastest, IsMadeAgainFromItsSettings) {
  for (const std::string name : {"stationary-b", "grid-3d", "local-b"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const RandomCase c = two_strategies(seed);
      EXPECT_TRUE(compares_strategies(c.problem, c.machine, {}));
      const Plan plan = plan_fastest(c.problem, c.machine, {}, {}, fastest_is(name)).plan;
      const PlannedWork again = plan_fastest(c.problem, c.machine, settings_of(plan));
      EXPECT_EQ(plan_digest(again.plan), plan_digest(plan)) << name << ", seed " << seed;
      EXPECT_EQ(again.decision, "");
    }
  }
}

/// `balance` is stationary-b's alone; grid-3d has no grid.p.
TEST(PlanFastest, ComparesThoseThatKnowAllSettings) {
  const RandomCase c = two_strategies(1);
  const auto strategy_with = [&](const Settings& settings) {
    return plan_fastest(c.problem, c.machine, settings, {}, fastest_is("grid-3d"));
  };
  EXPECT_TRUE(leaves_no_choice(c.problem, {{"balance", "bytes"}}));
  EXPECT_EQ(strategy_with({{"balance", "bytes"}}).plan.strategy, "stationary-b");
  EXPECT_EQ(strategy_with({{"balance", "bytes"}}).decision, "");
  const PlannedWork with_rows = strategy_with({{"grid.p", "1"}});
  EXPECT_NE(with_rows.plan.strategy, "grid-3d");
  EXPECT_EQ(with_rows.decision.find("grid-3d"), std::string::npos) << with_rows.decision;
  EXPECT_THROW(strategy_with({{"no.such", "1"}}), InputError);
}

/// Many products, or many tiles in a simulation: counted, not timed.
TEST(PlanFastest, IsBounded) {
  const RandomCase c = two_strategies(1);
  const auto never = [](const Plan&, const PlanSummary&, const Contraction&, const Machine&,
                        double) -> double {
    ADD_FAILURE();
    return 0;
  };
  const PlannedWork many = plan_fastest(c.problem, c.machine, {}, {}, never, {.products = 1});
  EXPECT_EQ(many.plan.strategy, "stationary-b");
  EXPECT_TRUE(many.compared.empty());
  EXPECT_NE(many.decision.find("none are compared, unless strategy=auto"), std::string::npos)
      << many.decision;
  EXPECT_FALSE(compares_strategies(c.problem, c.machine, {}, {.products = 1}));
  EXPECT_FALSE(compares_strategies(c.problem, c.machine, {}, {.ranks = c.machine.ranks - 1}));
  EXPECT_TRUE(compares_strategies(c.problem, c.machine, {{"strategy", "auto"}}, {.products = 1}));
  const PlannedWork large = plan_fastest(c.problem, c.machine, {}, {}, never, {.loads = 0});
  EXPECT_NE(large.decision.find("by bounds alone (the plans are large"), std::string::npos) << large.decision;
}

/// Where the first strategy is as fast as any plan can be, no other is planned.
TEST(PlanFastest, StopsNearTheBoundOfAnyPlan) {
  RandomCase c = two_strategies(1);
  int asked = 0;
  const auto seconds = [&](const Plan& plan, const PlanSummary&, const Contraction&, const Machine&, double) {
    return ++asked, plan_bound(plan, c.problem, c.machine).seconds;
  };
  const PlannedWork near = plan_fastest(c.problem, c.machine, {}, {}, seconds, {.near_bound = 1e9});
  EXPECT_EQ(near.plan.strategy, "stationary-b");
  EXPECT_EQ(near.compared.size(), 1U);
  EXPECT_EQ(asked, 1);
  EXPECT_NE(near.decision.find("; no plan takes less than "), std::string::npos) << near.decision;
  c.machine.platform.noise.kernel = 0.1;
  EXPECT_EQ(plan_fastest(c.problem, c.machine, {}, {}, seconds, {.near_bound = 1e9}).compared.size(), 3U);
}

TEST(PlanFastest, SaysWhereNoStrategyHonoursTheSources) {
  RandomCase c = two_strategies(1);
  c.problem.sources.a = Source::generated;
  EXPECT_THROW(plan_fastest(c.problem, c.machine, {}), InputError);
}

}  // namespace
}  // namespace foretile::plan_work_test
