// SPDX-License-Identifier: BSD-3-Clause
// A build without SimGrid says so where its engine is asked for, and simulates with the other one.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "simulator/simgrid.hpp"
#include "simulator/simulation.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile::simgrid_off_test {
namespace {

TEST(SimgridOff, IsRefused) {
  const Machine m = machine(1, 1);
  const Plan plan = make_plan(one_product, m, {});
  EXPECT_FALSE(has_simgrid());
  SimulationOptions options;
  options.engine = EngineChoice::simgrid;
  try {
    simulate(plan, one_product, m, options);
    FAIL() << "SimGrid was taken";
  } catch (const InputError& error) {
    for (const char* const part : {"found the engine simgrid", "expected fluid", "install libsimgrid-dev"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SimgridOff, AutomaticIsFluid) {
  const Machine m = machine(1, 1);
  const SimulationResult result = simulate(make_plan(one_product, m, {}), one_product, m);
  EXPECT_EQ(result.engine, EngineChoice::fluid);
  EXPECT_NEAR(result.makespan_s / kMicro, 2080, kPrecision);
}

}  // namespace
}  // namespace foretile::simgrid_off_test
