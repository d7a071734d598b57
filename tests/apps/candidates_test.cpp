// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/candidates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/random.hpp"
#include "platforms/loader.hpp"
#include "tuner/search.hpp"
#include "tuner/tune.hpp"

namespace foretile::candidates_test {
namespace {

/// 4 ranks. Grids 1x1x1 and 1x1x4 have the same rows and columns, but only one rank works in the first: its
/// bound is none of the second.
TEST(Candidates, FirstBoundsKnowWhetherCIsComputedInParts) {
  TuneCase tune_case;
  tune_case.first_problem = "d";
  tune_case.problems["d"] = {"d", "kind = \"dense\"\nm = 1024\nn = 1024\nk = 65536\ntile = 1024\n", "d.toml"};
  tune_case.platform = load_platform("summit");
  tune_case.size.nodes = 2;
  const Candidates one(tune_case), other(tune_case);
  const Candidate whole{{"grid", "1x1x1"}}, parts{{"grid", "1x1x4"}};
  const double whole_s = one.first_bound(whole);
  const double parts_s = one.first_bound(parts);
  EXPECT_EQ(parts_s, other.first_bound(parts));
  EXPECT_LT(parts_s, whole_s);
  EXPECT_LE(parts_s, one.simulate(parts).makespan_s);
}

TuneCase energy_case(const std::string& platform, const std::vector<std::string>& power, int nodes) {
  TuneCase tune_case;
  tune_case.first_problem = "d";
  tune_case.problems["d"] = {"d", "kind = \"dense\"\nm = 2048\nn = 2048\nk = 2048\ntile = 512\n", "d.toml"};
  tune_case.platform = load_platform(platform, power);
  tune_case.platform.noise = {};
  tune_case.size.nodes = nodes;
  tune_case.goal = Goal::energy;
  return tune_case;
}

const std::vector<std::string> kGpus{"platform.power.device_idle=60", "platform.power.device_busy=300",
                                     "platform.power.node_idle=400", "platform.power.node_busy=900"};
const std::vector<std::string> kCores{"platform.power.node_idle=90", "platform.power.node_busy=390"};

Candidate random_candidate(Random& random) {
  const auto one_of = [&random](const std::vector<std::string>& values) {
    return values[static_cast<std::size_t>(random.integer(0, std::ssize(values) - 1))];
  };
  Candidate candidate{{"problem.tile", one_of({"256", "512", "1000"})},
                      {"strategy", one_of({"stationary-c", "grid-3d"})}};
  candidate["lookahead"] = one_of({"1", "2"});
  return candidate;
}

/// Both bounds of joules are below what the simulation says, and a simulation that may take no more joules
/// than that ends, on GPUs and on cores.
TEST(Candidates, NothingBeatsBoundsOfEnergy) {
  Random random(5);
  for (const auto& [platform, power, nodes] :
       {std::tuple("summit", kGpus, 2), {"newriver", kGpus, 1}, {"cascade", kCores, 2}}) {
    const Candidates candidates(energy_case(platform, power, nodes));
    for (int n = 0; n < 6; ++n) {
      const Candidate candidate = random_candidate(random);
      const Outcome outcome = candidates.simulate(candidate);
      ASSERT_TRUE(outcome.done()) << platform;
      const double joules = cost_of(outcome, Goal::energy);
      EXPECT_LE(candidates.first_bound(candidate), joules) << platform;
      EXPECT_LE(cost_of(candidates.bound(candidate), Goal::energy), joules * (1 + 1e-12)) << platform;
      EXPECT_GT(candidates.first_bound(candidate), 0.1 * joules) << platform;
      EXPECT_TRUE(candidates.simulate(candidate, 1.001 * joules).done()) << platform;
      const Outcome stopped = candidates.simulate(candidate, candidates.first_bound(candidate) / 2);
      EXPECT_EQ(stopped.status, Outcome::Status::stopped) << platform;
    }
  }
}

TuneResult searched(const Candidates& candidates, const Space& space, const std::string& search) {
  TuneOptions options;
  options.space = space;
  options.search = search;
  options.goal = Goal::energy;
  const CostModel cost{
      .evaluate = [&](const Candidate& c) { return candidates.simulate(c); },
      .bound = [&](const Candidate& c) { return candidates.bound(c); },
      .first_bound = [&](const Candidate& c) { return candidates.first_bound(c); },
      .evaluate_until = [&](const Candidate& c, double most) { return candidates.simulate(c, most); }};
  return tune(options, cost);
}

/// In random spaces the search by bounds finds the joules that the exhaustive one finds.
TEST(Candidates, SearchesForEnergyAgree) {
  Random random(11);
  for (const auto& [platform, power, nodes] : {std::tuple("summit", kGpus, 1), {"cascade", kCores, 2}}) {
    for (int n = 0; n < 3; ++n) {
      const std::string tile = fmt::to_string(100 * random.integer(3, 9));
      const Space space({{"strategy", {"stationary-c", "grid-3d"}},
                         {"problem.tile", {"256", tile}},
                         {"platform.power.node_idle", {fmt::to_string(random.integer(50, 380)), "385"}},
                         {"lookahead", {"1", "2"}}});
      const Candidates candidates(energy_case(platform, power, nodes));
      const TuneResult all = searched(candidates, space, "exhaustive");
      const TuneResult pruned = searched(candidates, space, kBoundSearch);
      ASSERT_TRUE(all.best() && pruned.best()) << platform;
      EXPECT_EQ(all.failed + all.infeasible, 0u);
      EXPECT_EQ(cost_of(all.best()->outcome, Goal::energy), cost_of(pruned.best()->outcome, Goal::energy));
      EXPECT_TRUE(pruned.proven());
      EXPECT_LT(pruned.evaluated, all.evaluated);
    }
  }
}

}  // namespace
}  // namespace foretile::candidates_test
