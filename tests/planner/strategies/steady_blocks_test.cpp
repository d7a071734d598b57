// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/steady_blocks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "planner/plan_file.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile::steady_blocks_test {
namespace {

/// A product of 8 x 8 tiles on two ranks with a device each, whose tiles of C would be finished together.
struct Planned {
  PlanFile file;
  PlannedWork work;
};

Planned planned(const Settings& settings = {}) {
  const Problem problem{
      "p", "kind = \"dense\"\nm = 800\nn = 800\nk = 800\ntile = 100\nb_source = \"given\"\n", "p"};
  MachineSize size;
  size.ranks = 2;
  const std::string here = estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"});
  Machine machine = make_machine(parse_platform(here, "here"), size);
  PlannedWork work = plan_work(build_contraction(problem), machine, settings);
  PlanFile file = make_plan_file(problem, size, work);
  return {std::move(file), std::move(work)};
}

TEST(SteadyBlocks, AreSmallWhereOneBlockHasAllOfC) {
  Planned p = planned({{"strategy", "grid-3d"}});
  EXPECT_EQ(p.work.summary.blocks, 2);
  p.work.decision = "the fastest";
  const PlannedWork steady = with_steady_blocks(std::move(p.work));
  EXPECT_EQ(steady.decision, "the fastest");
  EXPECT_EQ(steady.summary.blocks, 2 * 16);
  EXPECT_EQ(steady.plan.parameters.at("d"), p.file.parameters.at("d"));
}

TEST(SteadyBlocks, StayWhereThereAreEnough) {
  Planned p = planned({{"strategy", "grid-3d"}, {"b", "1"}, {"c", "2"}});
  const Settings before = p.work.plan.parameters;
  EXPECT_EQ(with_steady_blocks(std::move(p.work)).plan.parameters, before);
}

}  // namespace
}  // namespace foretile::steady_blocks_test
