// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "planner/strategies/strategy.hpp"
#include "tests/planner/verify/refused.hpp"
#include "tests/planner/verify/slow_reference.hpp"

namespace foretile::verify_stationary_c_test {
namespace {

/// Small random problems on random machines, parameters left to the strategy but for lookahead.
TEST(VerifyStationaryC, PeaksAreThoseOfTheReference) {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const RandomCase c = random_case(seed);
    std::optional<Plan> plan;
    try {
      plan = make_plan(c.problem, c.machine,
                       {{"strategy", "stationary-c"}, {"lookahead", c.settings.at("lookahead")}});
    } catch (const InputError&) {
      continue;
    }
    ++plans;
    ASSERT_EQ(complaint(*plan, c.problem), "");
    const PlanSummary s = verify(*plan, c.problem);
    ASSERT_EQ(s.peak_device_bytes, slow_device_peak(*plan, c.problem));
    ASSERT_EQ(s.peak_host_bytes, slow_host_peak(*plan, c.problem));
    ASSERT_TRUE(slow_deliveries_right(*plan, c.problem));
    ASSERT_TRUE(slow_steps_right(*plan));
  }
  EXPECT_GT(plans, 100);
}

}  // namespace
}  // namespace foretile::verify_stationary_c_test
