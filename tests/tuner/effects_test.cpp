// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/effects.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace foretile::effects_test {
namespace {

using Status = ValueEffect::Status;

Outcome outcome_of(Outcome::Status status, double makespan_s = 0, const std::string& plan = {},
                   double lower_bound_s = 0) {
  Outcome outcome{status, makespan_s, "", {}, lower_bound_s};
  if (!plan.empty()) outcome.extra["plan"] = plan;
  return outcome;
}

Evaluation done(Candidate candidate, double seconds, const std::string& plan = {}) {
  return {std::move(candidate), outcome_of(Outcome::Status::done, seconds, plan), 1};
}

Outcome bound(double seconds, const std::string& plan = {}) {
  return outcome_of(Outcome::Status::done, seconds, plan);
}

std::vector<std::string> lines_of(const TuneResult& result) {
  std::vector<std::string> lines;
  for (const ParameterEffect& parameter : effects_on_best(result)) {
    for (const ValueEffect& effect : parameter.values) {
      lines.push_back(parameter.name + " " + effect.value + " " + status_name(effect.status) + " " +
                      std::to_string(effect.seconds).substr(0, 3));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Neighbours, DifferInOneParameterOfTheSpace) {
  const Space space({{"f", {"1", "2"}}, {"p", {"1", "2", "3"}}});
  EXPECT_EQ(
      neighbours_of({{"f", "1"}, {"p", "2"}}, space),
      (std::vector<Candidate>{{{"f", "2"}, {"p", "2"}}, {{"f", "1"}, {"p", "1"}}, {{"f", "1"}, {"p", "3"}}}));
  EXPECT_EQ(neighbours_of({{"f", "9"}}, Space({{"f", {"1"}}, {"p", {"2"}}})),
            (std::vector<Candidate>{{{"f", "1"}}, {{"f", "9"}, {"p", "2"}}}));
}

/// The best value of f would look bad if its only other candidate were the best of p = 2: others are held.
TEST(Effects, HoldTheOtherParameters) {
  TuneResult result;
  result.space = Space({{"f", {"1", "2"}}, {"p", {"1", "2"}}});
  result.ranking = {done({{"f", "1"}, {"p", "1"}}, 1), done({{"f", "2"}, {"p", "2"}}, 2),
                    done({{"f", "2"}, {"p", "1"}}, 3), done({{"f", "1"}, {"p", "2"}}, 5)};
  EXPECT_EQ(lines_of(result), (Lines{"p 1 best 1.0", "p 2 done 5.0", "f 1 best 1.0", "f 2 done 3.0"}));
  EXPECT_DOUBLE_EQ(effects_on_best(result)[0].ratio(), 5);
}

/// One value for each thing that can be known of it. b has the best's plan, d that of a candidate elsewhere,
/// h that of one that was stopped after 4 s.
TEST(Effects, KnowEveryKindOfValue) {
  TuneResult result;
  result.space = Space({{"v", {"j", "i", "h", "g", "f", "e", "d", "c", "b", "a"}}});
  result.ranking = {done({{"v", "a"}}, 2, "best"),
                    done({{"v", "c"}}, 3),
                    done({{"w", "1"}}, 7, "elsewhere"),
                    {{{"v", "e"}}, outcome_of(Outcome::Status::stopped, 0, "stopped", 4), 1},
                    {{{"v", "i"}}, {Outcome::Status::infeasible, 0, "no", {}}, 1},
                    {{{"v", "j"}}, {Outcome::Status::failed, 0, "crash", {}}, 1}};
  result.neighbour_bounds = {{{{"v", "b"}}, bound(1, "best")},
                             {{{"v", "d"}}, bound(1, "elsewhere")},
                             {{{"v", "f"}}, bound(2.5, "f")},
                             {{{"v", "g"}}, bound(1.5)},
                             {{{"v", "h"}}, bound(1, "stopped")}};
  EXPECT_EQ(lines_of(result), (Lines{"v a best 2.0", "v b same_plan 2.0", "v c done 3.0", "v d done 7.0",
                                     "v f at_least 2.5", "v e at_least 4.0", "v h at_least 4.0",
                                     "v g not_tried 1.5", "v i infeasible 0.0", "v j failed 0.0"}));
  EXPECT_EQ(effects_on_best(result)[0].values[8].message, "no");
  // Of e and h, which are one plan, one is enough; the space goes from j to a.
  EXPECT_EQ(unknown_neighbours(result), (std::vector<Candidate>{{{"v", "h"}}, {{"v", "g"}}, {{"v", "f"}}}));
}

TEST(Effects, NothingIsKnownOfTheRest) {
  TuneResult result;
  result.space = Space({{"v", {"1", "2"}}});
  EXPECT_TRUE(effects_on_best(result).empty());
  EXPECT_TRUE(unknown_neighbours(result).empty());
  result.ranking = {done({{"v", "2"}}, 1)};
  EXPECT_EQ(lines_of(result), (Lines{"v 2 best 1.0", "v 1 not_tried 0.0"}));
  EXPECT_EQ(effects_on_best(result)[0].ratio(), 1);
}

/// Defaults need not be in the space, and may lack a parameter.
TEST(Effects, OfABestOutsideTheSpace) {
  TuneResult result;
  result.space = Space({{"f", {"1"}}, {"g", {"5"}}});
  result.ranking = {done({{"f", "9"}}, 1), done({{"f", "8"}}, 1.5), done({{"f", "9"}, {"g", "5"}}, 2)};
  EXPECT_EQ(lines_of(result),
            (Lines{"g  best 1.0", "g 5 done 2.0", "f 9 best 1.0", "f 8 done 1.5", "f 1 not_tried 0.0"}));
}

TEST(Effects, ABestOfNoTimeIsInfinitelyBetter) {
  const ParameterEffect parameter{"f", {{"1", Status::best, 0}, {"2", Status::done, 1}}};
  EXPECT_EQ(parameter.ratio(), std::numeric_limits<double>::infinity());
  EXPECT_EQ((ParameterEffect{"f", {{"1", Status::best, 0}, {"2", Status::done, 0}}}).ratio(), 1);
}

/// Groups of f: q = 1 is the best's own; q = 2 has 2 s and 3 s: 1.5; q = 3 has one candidate only.
/// Groups of q: f = 1 is the best's own; f = 2 has 3 s and 6 s: 2.
TEST(Comparisons, LeaveOutTheBestsOwnGroup) {
  TuneResult result;
  result.ranking = {done({{"f", "1"}, {"q", "1"}}, 1), done({{"f", "1"}, {"q", "2"}}, 2),
                    done({{"f", "2"}, {"q", "2"}}, 3), done({{"f", "1"}, {"q", "3"}}, 4),
                    done({{"f", "2"}, {"q", "1"}}, 6)};
  const auto comparisons = comparisons_elsewhere(result);
  ASSERT_EQ(comparisons.size(), 2u);
  EXPECT_EQ(comparisons[0].name, "f");
  EXPECT_EQ(comparisons[0].count, 1u);
  EXPECT_DOUBLE_EQ(comparisons[0].median_ratio, 1.5);
  EXPECT_DOUBLE_EQ(comparisons[1].largest_ratio, 2);
  EXPECT_TRUE(comparisons_elsewhere(TuneResult()).empty());
}

}  // namespace
}  // namespace foretile::effects_test
