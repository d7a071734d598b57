#include "planner/strategy.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
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

}  // namespace
}  // namespace foretile
