// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/candidates.hpp"

#include <gtest/gtest.h>

#include "platforms/loader.hpp"

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

}  // namespace
}  // namespace foretile::candidates_test
