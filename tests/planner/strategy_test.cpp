#include "planner/strategy.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "planner/communication_model.hpp"
#include "planner/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile {
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

TEST(Strategies, UnknownNameListsTheKnownOnes) {
  EXPECT_NE(refusal({{"strategy", "stationary-x"}}).find("stationary-b"), std::string::npos);
}

TEST(Strategies, UnknownKeyIsNamedAndTheKnownOnesListed) {
  const std::string said = refusal({{"blok_fraction", "0.5"}});
  EXPECT_NE(said.find("blok_fraction"), std::string::npos);
  EXPECT_NE(said.find("chunk_fraction"), std::string::npos);
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
}  // namespace foretile
