// SPDX-License-Identifier: BSD-3-Clause
// This program links no SimGrid: it simulates with the fluid engine, and says so where SimGrid is asked for.
#include "simulator/reference_engine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "simulator/simgrid/simgrid.hpp"
#include "simulator/simulation.hpp"
#include "tests/simulator/hand_worked.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::reference_engine_test {
namespace {

TEST(ReferenceEngine, IsRefusedWhereThereIsNone) {
  const Machine m = machine(1, 1);
  const Plan plan = make_plan(one_product, m, {});
  use_simgrid();  // nothing: it is not linked
  EXPECT_FALSE(reference_engine());
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

TEST(ReferenceEngine, AutomaticIsFluidWhereThereIsNone) {
  const Machine m = machine(1, 1);
  const SimulationResult result = simulate(make_plan(one_product, m, {}), one_product, m);
  EXPECT_EQ(result.engine, EngineChoice::fluid);
  EXPECT_NEAR(result.makespan_s / kMicro, 2080, kPrecision);
}

int used = 0;

std::unique_ptr<Engine> engine_used_once(const Machine&, const MachineLinks& links) {
  ++used;
  return make_fluid_engine(links);
}

/// The one that is set has machines of one rank, and one simulation.
TEST(ReferenceEngine, IsTakenWhereItFitsAndOnlyOnce) {
  const std::vector<double> found = run_isolated([] {
    set_reference_engine({.fits = [](const Machine& m) { return m.ranks == 1; },
                          .is_used = [] { return used > 0; },
                          .make = engine_used_once});
    std::vector<double> simgrid;
    for (const int ranks : {2, 1, 1}) {
      const Machine m = machine(ranks, 1);
      const SimulationResult result = simulate(make_plan(one_product, m, {}), one_product, m);
      simgrid.push_back(result.engine == EngineChoice::simgrid ? 1 : 0);
    }
    simgrid.push_back(used);
    return simgrid;
  });
  EXPECT_EQ(found, (std::vector<double>{0, 1, 0, 1}));
}

}  // namespace
}  // namespace foretile::reference_engine_test
