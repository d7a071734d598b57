// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/seeds.hpp"

#include <gtest/gtest.h>

#include "apps/foretile/case.hpp"
#include "base/error.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::seeds_test {
namespace {

Case noisy_case() {
  DenseParameters dense;
  dense.m = dense.n = dense.k = 800;
  dense.tile = 200;
  Case found;
  found.problem = {"cube", dense_problem_toml(dense), ""};
  found.platform = parse_platform(small_platform, "p.toml", {"platform.noise.node=0.1"});
  found.size.nodes = 1;
  return found;
}

TEST(Seeds, EachIsSimulatedAsAlone) {
  const Case the_case = noisy_case();
  ProgressLine nowhere{ProgressTerminal{}};
  const PlannedWork work = plan_case(the_case, nowhere);
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  options.noise_seed = 5;
  const SeedTimes times = simulate_seeds(work, options, 3, nowhere);
  ASSERT_EQ(times.makespan_s.size(), 3U);
  for (const double seconds : times.makespan_s) {
    EXPECT_EQ(seconds, simulate(work.plan, work.contraction, work.machine, options).makespan_s);
    ++options.noise_seed;
  }
  EXPECT_NE(times.makespan_s[0], times.makespan_s[1]);
  EXPECT_EQ(seeds_json(times)["makespan_s"].size(), 3U);
  EXPECT_NE(seeds_text(times).find("3 seeds from 5 on: median "), std::string::npos);
}

TEST(Seeds, APlatformWithoutNoiseIsRefused) {
  EXPECT_NO_THROW(require_noise(noisy_case().platform));
  EXPECT_THROW(require_noise(parse_platform(small_platform, "p.toml")), InputError);
}

}  // namespace
}  // namespace foretile::seeds_test
