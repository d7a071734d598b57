// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "planner/plan_work.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::strategies_compare_test {
namespace {

/// Long K and a large B on slow links: where B is distributed contiguously, moving it takes longer than
/// multiplying there.
RandomCase large_b() {
  RandomCase c{
      Contraction{"", Tiling::uniform(8, 2), Tiling::uniform(80, 2), Tiling::uniform(80, 2), {}, {}, {}, 0},
      small_machine(4, 1, 1 << 20, 1 << 24),
      {{"strategy", "auto"}}};
  c.problem.a = Shape::dense(4, 40);
  c.problem.b = Shape::dense(40, 40);
  c.problem.c = Shape::dense(4, 40);
  c.machine.platform.network.node_injection_bytes_per_s = 1e5;
  c.machine.platform.network.message.bandwidth_bytes_per_s = 1e5;
  return c;
}

TEST(CompareStrategies, ChargesForRedistribution) {
  RandomCase c = large_b();
  for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings).strategies) {
    EXPECT_EQ(one.refusal, "");
    EXPECT_FALSE(one.redistribution) << one.strategy;  // no distribution was given
  }
  c.settings["distribution.b"] = "contiguous";
  const auto compared = compare_strategies(c.problem, c.machine, c.settings).strategies;
  ASSERT_EQ(compared.size(), 4U);
  for (const ComparedStrategy& one : compared)
    EXPECT_EQ(one.redistribution->bytes > 0, one.strategy != "owner-b");
  EXPECT_EQ(plan_work(c.problem, c.machine, c.settings).plan.strategy, "owner-b");
}

/// Three tiles of 32 bytes fit no device: the refusal keeps its type.
TEST(CompareStrategies, SayThatMemoryIsMissing) {
  RandomCase c = large_b();
  c.machine.platform.device.memory_bytes = 40;
  EXPECT_THROW(plan_work(c.problem, c.machine, c.settings), MissingMemory);
}

/// Whatever the distributions, the one that is taken has the least sum.
TEST(CompareStrategies, TakesTheLeast) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCase c = random_distributed_case(seed);
    c.machine.platform.device.memory_bytes *= 4;
    c.machine.platform.network.node_injection_bytes_per_s = 1e5;
    std::erase_if(c.settings,
                  [](const auto& setting) { return !setting.first.starts_with("distribution."); });
    c.settings["strategy"] = "auto";
    const auto compared = compare_strategies(c.problem, c.machine, c.settings).strategies;
    const auto least = std::ranges::min_element(compared, {}, [](const ComparedStrategy& one) {
      return std::pair(!one.refusal.empty(), one.seconds());
    });
    if (!least->refusal.empty()) continue;
    EXPECT_EQ(fastest_settings(compared, c.problem, c.settings).at("strategy"), least->strategy);
    EXPECT_NO_THROW(plan_work(c.problem, c.machine, c.settings));
    ++taken;
  }
  EXPECT_GE(taken, 20);
}

/// Whatever the grid of a cyclic distribution, owner-b has nothing to move.
TEST(CompareStrategies, KnowsTheGridOfTheMatrices) {
  RandomCase c = large_b();
  for (const char* grid : {"1x4x1", "1x2x2", "1x1x4"}) {
    c.settings = {{"strategy", "auto"},
                  {"distribution.a", "cyclic"},
                  {"distribution.b", "cyclic"},
                  {"distribution.c", "cyclic"},
                  {"grid", grid}};
    for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings).strategies) {
      EXPECT_EQ(one.refusal, "");
      if (one.strategy != "owner-b") continue;
      EXPECT_EQ(one.redistribution->bytes, 0) << grid;
    }
  }
}

/// By growing bound each plan is asked for, but none whose bound is more than what another has said. What is
/// said decides.
TEST(CompareStrategies, TakesWhatIsSaidToBeFastest) {
  RandomCase c = large_b();
  std::vector<double> bounds, stops;
  const auto bound_of = [&](const Plan& plan) { return plan_bound(plan, c.problem, c.machine).seconds; };
  const auto compare = [&](const PlanSeconds& seconds) {
    return compare_strategies(c.problem, c.machine, c.settings, seconds).strategies;
  };
  const auto fastest = [&](const std::vector<ComparedStrategy>& compared) {
    return fastest_settings(compared, c.problem, c.settings).at("strategy");
  };
  const auto compared = compare([&](const Plan& plan, const PlanSummary&, double stop_s) {
    bounds.push_back(bound_of(plan));
    stops.push_back(stop_s);
    return plan.strategy == "stationary-c" ? 1e3 : 1e6;
  });
  EXPECT_EQ(fastest(compared), "stationary-c");
  EXPECT_EQ(bounds.size(), 5U);
  EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
  EXPECT_EQ(stops[0], 1.5 * bounds[0]);
  EXPECT_LE(stops[4], 1e6);

  bounds.clear();
  const auto first = compare([&](const Plan& plan, const PlanSummary&, double) {
    bounds.push_back(bound_of(plan));
    return bounds.back();
  });
  EXPECT_LE(bounds.size(), 2U);  // two may have the same bound
  EXPECT_EQ(
      std::ranges::count_if(first, [](const ComparedStrategy& one) { return std::isfinite(*one.plan_s); }),
      std::ssize(bounds));
}

/// Of a machine with noise no bound says that a plan is not the fastest.
TEST(CompareStrategies, AsksForAllWithNoise) {
  RandomCase c = large_b();
  c.machine.platform.noise.kernel = 0.1;
  int asked = 0;
  compare_strategies(c.problem, c.machine, c.settings,
                     [&](const Plan&, const PlanSummary&, double) { return ++asked, 1e-12; });
  EXPECT_EQ(asked, 5);
}

/// What redistributing takes is not there for the plan.
TEST(CompareStrategies, StopsWhereRedistributionMakesItSlower) {
  RandomCase c = large_b();
  c.settings["distribution.b"] = "contiguous";
  std::map<std::string, double> stops;
  const auto compared = compare_strategies(c.problem, c.machine, c.settings,
                                           [&](const Plan& plan, const PlanSummary&, double stop_s) {
                                             stops[plan.strategy] = stop_s;
                                             return 1e6;
                                           })
                            .strategies;
  int stopped = 0;
  for (const ComparedStrategy& one : compared) {
    EXPECT_LE(stops.at(one.strategy), 2e6 - one.redistribution->seconds) << one.strategy;
    ++stopped;
  }
  EXPECT_EQ(stopped, 4);
}

/// Where no seconds are known, bounds decide.
TEST(CompareStrategies, FallsBackToBounds) {
  RandomCase c = large_b();
  const auto without = compare_strategies(c.problem, c.machine, c.settings).strategies;
  const auto with = compare_strategies(c.problem, c.machine, c.settings,
                                       [&](const Plan& plan, const PlanSummary&, double) -> double {
                                         if (plan.strategy == "owner-b") return 1;
                                         throw InputError("no figure");
                                       })
                        .strategies;
  for (const ComparedStrategy& one : with) {
    EXPECT_FALSE(one.plan_s);
    EXPECT_EQ(one.refusal, "");
  }
  EXPECT_EQ(fastest_settings(with, c.problem, c.settings), fastest_settings(without, c.problem, c.settings));
}

/// Where B is distributed by rows, sums and moves take long; with whole columns there are none.
TEST(CompareStrategies, TriesColumnsOfBWhereNobodySaysHowItLies) {
  RandomCase c = large_b();
  const auto variants = [&] {
    std::vector<Settings> list;
    for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings).strategies) {
      if (one.strategy == "owner-b") list.push_back(one.variant);
    }
    return list;
  };
  const Settings columns{
      {"distribution.a", "cyclic"}, {"distribution.b", "cyclic"}, {"distribution.c", "cyclic"}};
  EXPECT_EQ(variants(), (std::vector<Settings>{{}, columns}));
  c.settings["distribution.a"] = "contiguous";
  EXPECT_EQ(variants(), (std::vector<Settings>{{}}));
}

/// That only owner-b knows `blocks` is not what is wrong.
TEST(CompareStrategies, SaysWhatIsWrongWhereAKeyIsKnown) {
  RandomCase c = large_b();
  c.settings["blocks"] = "Tile";
  try {
    plan_work(c.problem, c.machine, c.settings);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("blocks: found Tile"), 0U) << error.what();
  }
}

TEST(CompareStrategies, SaysWhatIsWrongWithADistribution) {
  RandomCase c = large_b();
  c.settings["distribution.b"] = "rows";
  EXPECT_THROW(plan_work(c.problem, c.machine, c.settings), InputError);
}

}  // namespace
}  // namespace foretile::strategies_compare_test
