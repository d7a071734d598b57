// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "planner/plan_work.hpp"
#include "planner/strategies/communication_model.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::strategy_test {
namespace {

std::string refusal(const Settings& settings) {
  const RandomCase c = random_case(1);
  try {
    prepare_planner(c.problem, c.machine, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Strategies, EachIsFoundByItsName) {
  ASSERT_FALSE(strategies().empty());
  for (const auto& strategy : strategies()) EXPECT_EQ(&find_strategy(strategy->name()), strategy.get());
}

/// All that take A and B as they are given, and the comparison of them.
TEST(Strategies, PlansHaveTilesInPlaceAsTheContextSays) {
  RandomCase c = random_case(1);
  c.problem.sources = {};
  PlanContext context;
  context.a.in_place.assign(static_cast<std::size_t>(c.problem.a.nonzeros()), false);
  context.a.in_place.front() = true;
  std::vector<std::string> names = strategies_for_terms();
  names.emplace_back("auto");
  const Machine machine = small_machine(2, 2, 1 << 20, 1 << 24);
  for (const std::string& name : names) {
    const Plan plan = plan_work(c.problem, machine, {{"strategy", name}}, {}, {}, context).plan;
    EXPECT_EQ(plan.operands.a.in_place, context.a.in_place) << name;
    EXPECT_TRUE(plan.operands.b.in_place.empty()) << name;
  }
}

TEST(Strategies, UnknownNameListsTheKnownOnes) {
  EXPECT_NE(refusal({{"strategy", "stationary-x"}}).find("stationary-b"), std::string::npos);
}

TEST(Strategies, UnknownKeyIsNamedAndTheKnownOnesListed) {
  const std::string said = refusal({{"blok_fraction", "0.5"}});
  EXPECT_NE(said.find("blok_fraction"), std::string::npos);
  EXPECT_NE(said.find("chunk_fraction"), std::string::npos);
}

const Sources both_given{Source::given, Source::given};
const Sources b_generated{Source::given, Source::generated};
const Sources a_generated{Source::generated, Source::given};

TEST(Strategies, TheDefaultFollowsFromTheSources) {
  EXPECT_EQ(choose_strategy(b_generated, {}).name(), "stationary-b");
  EXPECT_EQ(choose_strategy(both_given, {}).name(), "grid-3d");
  EXPECT_EQ(choose_strategy(both_given, {{"strategy", "stationary-b"}}).name(), "stationary-b");
  RandomCase c = random_case(1);
  c.machine.platform.device.memory_bytes = 1 << 20;
  EXPECT_FALSE(make_plan(c.problem, c.machine, {}).operands.b.streams());
  c.problem.sources = both_given;
  EXPECT_TRUE(make_plan(c.problem, c.machine, {}).operands.b.streams());
}

/// grid.p and grid are names that one strategy has for given A and B; lookahead is common.
TEST(Strategies, ParametersThatAreSetChooseTheStrategy) {
  const auto chosen = [](const Settings& settings) { return choose_strategy(both_given, settings).name(); };
  EXPECT_EQ(chosen({{"lookahead", "1"}}), "grid-3d");
  EXPECT_EQ(chosen({{"grid", "1x1x2"}, {"lookahead", "1"}}), "grid-3d");
  EXPECT_EQ(chosen({{"grid.p", "2"}, {"lookahead", "1"}}), "stationary-c");
  EXPECT_EQ(chosen({{"nonsense", "2"}}), "grid-3d");
}

TEST(Strategies, SourcesThatNoneHonoursNeedAName) {
  try {
    choose_strategy(a_generated, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "a_source, b_source: found A is generated, B is given, expected A is given, B is generated "
        "(stationary-b, "
        "local-b) or A is given, B is given (grid-3d, stationary-c, owner-b, owner-computes-c); change the "
        "problem, "
        "or set strategy=NAME to override it");
  }
  EXPECT_EQ(choose_strategy(a_generated, {{"strategy", "stationary-c"}}).name(), "stationary-c");
}

TEST(Strategies, TellWhatTheyOverride) {
  EXPECT_EQ(explain_choice(b_generated, "stationary-b").reason(),
            "A is given, B is generated: stationary-b honours them");
  EXPECT_EQ(explain_choice(both_given, "stationary-b").reason(),
            "B is given; stationary-b generates it: the problem's source is overridden");
  EXPECT_EQ(explain_choice(b_generated, "stationary-c").reason(),
            "B is generated; stationary-c takes it as given: the problem's source is overridden");
  EXPECT_EQ(explain_choice(a_generated, "stationary-b").overridden,
            "A is generated; stationary-b takes it as given: the problem's source is overridden; B is given; "
            "stationary-b "
            "generates it: the problem's source is overridden");
  EXPECT_EQ(explain_choice(b_generated, "grid-3d").reason(),
            "A is given, B is generated: grid-3d honours them");
  EXPECT_EQ(explain_choice(both_given, "grid-3d").overridden, "");
}

TEST(Strategies, RefuseOtherSourcesWhereNobodyNamedThem) {
  for (const auto& strategy : strategies()) {
    for (const Sources& sources : {both_given, b_generated, a_generated}) {
      const StrategyChoice choice = explain_choice(sources, strategy->name());
      EXPECT_EQ(choice.overridden.empty(), strategy->honours(sources));
      if (strategy->honours(sources)) {
        EXPECT_NO_THROW(require_honoured(choice));
      } else {
        EXPECT_THROW(require_honoured(choice), InputError);
      }
    }
  }
}

TEST(Strategies, PlansNameStrategyAndEveryParameter) {
  RandomCase c = random_case(1);
  c.machine.platform.device.memory_bytes = 1 << 20;
  const Plan plan = make_plan(c.problem, c.machine, {{"strategy", "stationary-b"}, {"lookahead", "0"}});
  EXPECT_EQ(plan.strategy, "stationary-b");
  EXPECT_EQ(plan.parameters.at("lookahead"), "0");
  for (const ParameterInfo& parameter : find_strategy("stationary-b").parameters()) {
    EXPECT_TRUE(plan.parameters.contains(parameter.key)) << parameter.key;
    EXPECT_FALSE(parameter.meaning.empty());
  }
}

/// What the verifier says of a plan that has a byte less than it needs on devices, or in host memory.
std::string refusal_without_a_byte(const char* strategy, bool of_host) {
  RandomCase c = random_case(1);
  c.machine.platform.device.memory_bytes = 1 << 20;
  Plan plan = make_plan(c.problem, c.machine, {{"strategy", strategy}});
  const PlanSummary needs = verify(plan, c.problem);
  if (of_host) {
    plan.host_budget_bytes = needs.peak_host_bytes - 1;
    plan.staging_bytes = std::min(plan.staging_bytes, plan.host_budget_bytes);  // else that is refused first
  } else {
    for (DeviceClass& of : plan.device_classes) of.memory_bytes = needs.peak_device_bytes - 1;
  }
  try {
    verify(plan, c.problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Each names parameters that it has.
TEST(Strategies, AdviseWhatLowersTheirMemory) {
  const auto says = [](const std::string& refusal, const char* advice) {
    EXPECT_NE(refusal.find(std::string("1 bytes are missing: ") + advice), std::string::npos) << refusal;
  };
  says(refusal_without_a_byte("stationary-b", false), "lower block_fraction, chunk_fraction or lookahead");
  says(refusal_without_a_byte("stationary-c", false), "lower d, b, c or lookahead");
  says(refusal_without_a_byte("stationary-b", true),
       "use more ranks, raise grid.p (fewer tiles of A per rank) or lower staging_fraction");
  says(refusal_without_a_byte("stationary-c", true), "use more ranks or lower d, b, c or lookahead");
}

/// Half the bytes per element in half the memory: the same plan with half the bytes, or refused alike.
void expect_half_in_single(RandomCase c) {
  const auto settings_of = [&](std::int64_t unit) {
    Settings settings = c.settings;
    for (const char* key : {"message_bytes", "copy_batch_bytes"}) {
      settings[key] = fmt::format("{}", unit * (std::stoll(c.settings[key]) + 1));
    }
    return settings;
  };
  const auto planned = [&](Precision precision) -> std::optional<std::pair<Plan, PlanSummary>> {
    const std::int64_t unit = bytes_of(precision) / 4;
    Contraction problem = c.problem;
    problem.precision = precision;
    Machine machine = c.machine;
    machine.platform.device.memory_bytes *= unit;
    machine.platform.memory_bytes_per_socket *= unit;
    try {
      const Plan plan = make_plan(problem, machine, settings_of(unit));
      return std::pair(plan, verify(plan, problem));
    } catch (const InputError&) {
      return {};
    }
  };
  const auto twofold = planned(Precision::f64);
  const auto single = planned(Precision::f32);
  ASSERT_EQ(twofold.has_value(), single.has_value());
  if (!single) return;
  const PlanSummary &l = twofold->second, &r = single->second;
  EXPECT_EQ(l.gemms, r.gemms);
  EXPECT_EQ(l.blocks, r.blocks);
  EXPECT_EQ(l.chunks, r.chunks);
  for (const auto bytes :
       {&PlanSummary::peak_device_bytes, &PlanSummary::peak_host_bytes, &PlanSummary::h2d_bytes,
        &PlanSummary::d2h_bytes, &PlanSummary::network_bytes, &PlanSummary::generated_bytes}) {
    EXPECT_EQ(l.*bytes, 2 * (r.*bytes));
  }
  const auto of_twofold = predict_volumes(c.problem, c.machine, twofold->first);
  c.problem.precision = Precision::f32;
  const auto of_single = predict_volumes(c.problem, c.machine, single->first);
  ASSERT_EQ(of_twofold.has_value(), of_single.has_value());
  if (of_single) {
    EXPECT_EQ(of_twofold->of, of_single->of);
    EXPECT_DOUBLE_EQ(of_twofold->network_bytes, 2 * of_single->network_bytes);
  }
}

TEST(Strategies, SinglePrecisionTakesHalfTheBytes) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_half_in_single(random_case(seed));
    expect_half_in_single(random_streamed_case(seed));
  }
}

}  // namespace
}  // namespace foretile::strategy_test
