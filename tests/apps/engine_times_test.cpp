// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/engine_times.hpp"

#include <gtest/gtest.h>

#include "planner/plan_work.hpp"
#include "simulator/reference_engine.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile::engine_times_test {
namespace {

TEST(EngineTimes, SayWhichIsMissingAndWhy) {
  EXPECT_EQ(engine_times_text({2, 2.01, {}}), "fluid 2 s, simgrid 2.01 s (0.5% more)");
  EXPECT_EQ(engine_times_text({2, 1.5, {}}), "fluid 2 s, simgrid 1.5 s (25% less)");
  EXPECT_EQ(engine_times_text({2, 2 + 1e-12, {}}), "fluid 2 s, simgrid 2 s (the same)");
  EXPECT_EQ(engine_times_text({{}, 2, {}}), "simgrid 2 s");
  EXPECT_EQ(engine_times_text({2, {}, "it\nfailed"}), "fluid 2 s; no simgrid: it\\nfailed");
  nlohmann::ordered_json json;
  add_engine_times(json, {2, 1.5, {}});
  EXPECT_EQ(json.dump(), R"({"engines":{"fluid":2.0,"simgrid":1.5}})");
  json.clear();
  add_engine_times(json, {2, {}, "why"});
  EXPECT_EQ(json.dump(), R"({"engines":{"fluid":2.0},"simgrid_left_out":"why"})");
}

/// 80 us to make B and 2000 for the kernel, twice.
TEST(EngineTimes, AddWorksInProcessesOfTheirOwn) {
  const PlannedWork work = plan_work(one_product, machine(1, 1), {});
  const EngineTimes times = by_simgrid({&work, &work}, 1, 60);
  EXPECT_FALSE(times.fluid_s);
  EXPECT_EQ(times.simgrid_s.has_value(), reference_engine() != nullptr);
  EXPECT_EQ(times.left_out, reference_engine() ? "" : "this foretile was built without it");
  if (!reference_engine()) return;
  EXPECT_NEAR(times.simgrid_s.value_or(0) / kMicro, 2 * 2080, kPrecision);
  EXPECT_FALSE(reference_engine()->is_used());  // in this process
}

TEST(EngineTimes, AreLeftOutWithoutTime) {
  const PlannedWork work = plan_work(one_product, machine(1, 1), {});
  const EngineTimes times = by_simgrid({&work}, 1, 0);
  EXPECT_FALSE(times.simgrid_s);
  EXPECT_EQ(times.left_out, reference_engine() ? "the time is over" : "this foretile was built without it");
}

TEST(EngineTimes, AreLeftOutOnLargeMachines) {
  PlannedWork work = plan_work(one_product, machine(1, 1), {});
  work.machine.ranks = 9000;
  const EngineTimes times = by_simgrid({&work}, 1, 60);
  EXPECT_EQ(times.left_out,
            reference_engine() ? "the machine is too large for it" : "this foretile was built without it");
}

}  // namespace
}  // namespace foretile::engine_times_test
