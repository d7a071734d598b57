// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "planner/bound/bound.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::term_strategies_test {
namespace {

/// Three products in two levels, of which heavy has most flops, and a copy.
constexpr const char* kProgram =
    "space h = occupied\nspace p = virtual\ntensor x[p|p]\ntensor y[h|p]\nresult R[p|p]\nresult S[h|p]\n"
    "heavy: R[p1,p2] += x[p1,p3] x[p3,p2]\nlight: I[h1,p2] += y[h1,p3] x[p3,p2]\n"
    "last: S[h1,p2] += I[h1,p3] x[p3,p2]\ncopy: R[p1,p2] += x[p1,p2]\n";

class TermStrategies : public testing::Test {
 protected:
  const FusedProgram program{parse_program(kProgram, "test"), {2, 8, 2}, "test"};
  Machine machine = flow_machine(2, 1);
  ProgramDistribution distribution{.ranks = 2};

  std::vector<std::string> chosen(const WorkSeconds& seconds, const Settings& settings = {}) {
    distribution = choose_strategies(program, distribution, machine, settings, ProgramMode::levels, seconds);
    return distribution.strategies;
  }
};

bool has(const StepPlan& plan, const char* term, const FusedProgram& program) {
  return std::ranges::any_of(
      plan.step.products, [&](std::size_t number) { return program.program().terms[number].name == term; });
}

TEST_F(TermStrategies, AreThoseThatAreNamed) {
  Settings settings{{"strategy", "auto"}, {"strategy.light", "owner-b"}, {"lookahead", "2"}};
  EXPECT_EQ(take_named_strategies(program, settings), (std::vector<std::string>{"", "owner-b", "", ""}));
  EXPECT_EQ(settings, (Settings{{"strategy", "auto"}, {"lookahead", "2"}}));
  EXPECT_TRUE(take_named_strategies(program, settings).empty());
  distribution.strategies = {"", "owner-b", "", ""};
  const auto plans = plan_step(program, distribution, machine, {}, ProgramMode::levels, 1);
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[1].work->plan.strategy, "owner-b");
  EXPECT_EQ(plans[1].settings.at("strategy"), "owner-b");
  EXPECT_TRUE(has(plans[0], "heavy", program) && has(plans[1], "light", program));
  EXPECT_EQ(plans[0].step.terms.size(), 2U);  // with the copy
}

/// Files and scripts may have the name of before.
TEST_F(TermStrategies, MayHaveAFormerName) {
  Settings settings{{"strategy", "dealt-c"}, {"strategy.light", "dealt-c"}};
  EXPECT_EQ(take_named_strategies(program, settings)[1], "owner-computes-c");
  EXPECT_EQ(settings.at("strategy"), "owner-computes-c");
  EXPECT_EQ(find_strategy("dealt-c").name(), "owner-computes-c");
  EXPECT_EQ(present_keys({{"deal.a", "cyclic"}, {"grid", "auto"}}),
            (Settings{{"distribution.a", "cyclic"}, {"grid", "auto"}}));
  EXPECT_THROW(present_keys({{"deal.a", "cyclic"}, {"distribution.a", "cyclic"}}), InputError);
  EXPECT_EQ(present_name("dealt-c"), "owner-computes-c");
  EXPECT_EQ(present_name("grid-3d"), "grid-3d");
}

TEST_F(TermStrategies, OfNoTermAndNoStrategyAreRefused) {
  for (const auto& [key, value] : Settings{{"strategy.none", "owner-b"},
                                           {"strategy.copy", "owner-b"},
                                           {"strategy.", "owner-b"},
                                           {"strategy.light", "auto"},
                                           {"strategy.heavy", ""},
                                           {"strategy.last", "local-b"},
                                           {"strategy", "stationary-b"}}) {
    Settings settings{{key, value}};
    EXPECT_THROW(take_named_strategies(program, settings), InputError) << key << "=" << value;
  }
}

/// 1 s by stationary-c alone, 3 s with it, and 5 s without.
double fast_by_stationary_c(const Plan& plan, const PlanSummary&, const Contraction&, const Machine&,
                            double) {
  const auto names = strategies_of(plan);
  if (std::ranges::find(names, "stationary-c") == names.end()) return 5;
  return names.size() == 1 ? 1 : 3;
}

TEST_F(TermStrategies, AreOfAllTermsOfALevelWhereThatTakesLeast) {
  EXPECT_EQ(chosen(fast_by_stationary_c),
            (std::vector<std::string>{"stationary-c", "stationary-c", "stationary-c", ""}));
}

/// light takes 1 s by owner-b, alone, and 10 s with heavy or by others; heavy alone takes 3 s by grid-3d and
/// 4 s by others. Level 1 takes 10 s by any one strategy. heavy apart is no gain, with 10 s for light; then
/// light apart leaves 4 s for heavy: 5 s together.
TEST_F(TermStrategies, AreOfSingleTermsWhereThatTakesLess) {
  const auto level = [&](int number) {
    return work_of_steps(program, distribution, machine,
                         plan_step(program, distribution, machine, {}, ProgramMode::levels, number),
                         ProgramMode::levels);
  };
  const std::int64_t last_gemms = level(2).summary.gemms;
  ASSERT_NE(last_gemms, level(1).summary.gemms);
  const auto seconds = [&](const Plan& plan, const PlanSummary& summary, auto&&...) {
    const auto names = strategies_of(plan);
    const double heavy_s = names[0] == "grid-3d" ? 3 : 4;
    if (summary.gemms == last_gemms) return heavy_s;
    if (names.size() == 1) return 10.0;
    return heavy_s + (names[1] == "owner-b" ? 1 : 10);
  };
  const auto names = chosen(seconds);
  EXPECT_EQ(names[1], "owner-b");
  EXPECT_EQ(names[2], "grid-3d");
  const PlannedWork first = level(1);
  EXPECT_EQ(seconds(first.plan, first.summary), 5);
}

TEST_F(TermStrategies, ThatAreNamedStay) {
  distribution.strategies = {"", "owner-b", "", ""};
  EXPECT_EQ(chosen(fast_by_stationary_c),
            (std::vector<std::string>{"stationary-c", "owner-b", "stationary-c", ""}));
}

/// owner-computes-c alone knows chain_pieces; lookahead is a parameter of stationary-c, too.
TEST_F(TermStrategies, KnowAllSettings) {
  EXPECT_EQ(chosen(fast_by_stationary_c, {{"chain_pieces", "1"}}),
            (std::vector<std::string>{"", "", "", ""}));
  EXPECT_EQ(chosen(fast_by_stationary_c, {{"lookahead", "2"}}),
            (std::vector<std::string>{"stationary-c", "stationary-c", "stationary-c", ""}));
}

/// Pieces belong to terms without a strategy of their own.
TEST_F(TermStrategies, SumWholeTiles) {
  distribution.split_k = {2, 2, 1, 1};
  const auto seconds = [&](const Plan& plan, const PlanSummary&, const Contraction& contraction, auto&&...) {
    const bool is_last = contraction.k.tiles() == program.terms()[2].product->contraction().k.tiles();
    return is_last || plan.strategy == "grid-3d" ? 1.0 : 5.0;
  };
  EXPECT_EQ(chosen(seconds), (std::vector<std::string>{"grid-3d", "grid-3d", "", ""}));
  EXPECT_EQ(distribution.split_k, (std::vector<int>{1, 1, 1, 1}));
}

/// All 41 terms: less than by one strategy for all.
TEST(TermStrategiesOfCcsd, TakeNoMoreThanAnyForAll) {
  const FusedProgram fused(ccsd_t2(), {2, 4, 2}, "test");
  Machine machine = flow_machine(4, 1);
  machine.platform.network.message.bandwidth_bytes_per_s = 1e9;
  const auto bound = [](const Plan& plan, const PlanSummary&, const Contraction& contraction,
                        const Machine& on, double) { return plan_bound(plan, contraction, on).seconds; };
  const auto seconds = [&](const ProgramDistribution& distribution, const Settings& settings) {
    double sum = 0;
    for (int level = 1; level <= fused.levels(); ++level) {
      const PlannedWork work = work_of_steps(
          fused, distribution, machine,
          plan_step(fused, distribution, machine, settings, ProgramMode::levels, level), ProgramMode::levels);
      sum += bound(work.plan, work.summary, work.contraction, machine, 0);
    }
    return sum;
  };
  const ProgramDistribution round_robin{.ranks = 4};
  const ProgramDistribution chosen =
      choose_strategies(fused, round_robin, machine, {}, ProgramMode::levels, bound);
  EXPECT_TRUE(std::ranges::any_of(chosen.strategies, [](const auto& name) { return !name.empty(); }));
  double least_of_one = seconds(round_robin, {});
  for (const std::string& name : strategies_for_terms())
    least_of_one = std::min(least_of_one, seconds(round_robin, {{"strategy", name}}));
  EXPECT_LT(seconds(chosen, {}), least_of_one);
}

}  // namespace
}  // namespace foretile::term_strategies_test
