// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_work.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "planner/bound/bound.hpp"
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
  c.problem.sources.a = Source::made;
  EXPECT_THROW(plan_work(c.problem, c.machine, {{"strategy", "auto"}}), InputError);
}

}  // namespace
}  // namespace foretile::plan_work_test
