// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/starts.hpp"

#include <gtest/gtest.h>

namespace foretile::starts_test {
namespace {

Evaluation done(Candidate candidate, double seconds) {
  return {std::move(candidate), {Outcome::Status::done, seconds, "", {}}, 1};
}

const Space space({{"f", {"0.25", "0.5"}}, {"p", {"1", "2", "4"}}});
const std::vector<Candidate> defaults = {{{"f", "0.25"}, {"p", "1"}}};

TEST(Starts, TheFastestFirstInTheSpacesWords) {
  const Starts starts =
      starts_from({done({{"f", "0.50"}, {"p", "4"}}, 3), done({{"f", "0.5"}, {"p", "2"}}, 1),
                   done({{"f", ".25"}, {"p", "2.0"}}, 2)},
                  space, defaults);
  EXPECT_EQ(starts.candidates,
            (std::vector<Candidate>{
                {{"f", "0.5"}, {"p", "2"}}, {{"f", "0.25"}, {"p", "2"}}, {{"f", "0.5"}, {"p", "4"}}}));
  EXPECT_EQ(starts.unused, 0u);
}

TEST(Starts, LeaveOutAndFillIn) {
  const Starts starts =
      starts_from({done({{"f", "0.5"}, {"q", "7"}}, 1), done({{"p", "2"}}, 2)}, space, defaults);
  EXPECT_EQ(starts.candidates,
            (std::vector<Candidate>{{{"f", "0.5"}, {"p", "1"}}, {{"f", "0.25"}, {"p", "2"}}}));
}

/// p = 3 is not of this space; f = 0.9 neither, but the defaults have it; "many" is no number.
TEST(Starts, TellWhatIsOfAnotherSpace) {
  const std::vector<Evaluation> elsewhere = {done({{"f", "0.5"}, {"p", "3"}}, 1),
                                             done({{"f", "0.5"}, {"p", "many"}}, 2),
                                             done({{"f", "0.90"}, {"p", "2"}}, 3)};
  const Starts starts = starts_from(elsewhere, space, {{{"f", "0.9"}, {"p", "1"}}});
  EXPECT_EQ(starts.candidates, (std::vector<Candidate>{{{"f", "0.9"}, {"p", "2"}}}));
  EXPECT_EQ(starts.unused, 2u);
  EXPECT_EQ(starts_from(elsewhere, space, defaults).unused, 3u);
}

/// Of equal times, which mostly are one plan, the first that can be tried; what comes out as one candidate,
/// or as the defaults, is no further start.
TEST(Starts, AreDistinct) {
  const Starts starts = starts_from({done({{"f", "0.5"}, {"p", "3"}}, 1), done({{"f", "0.5"}, {"p", "2"}}, 1),
                                     done({{"f", "0.5"}, {"p", "4"}}, 1),
                                     done({{"f", "0.5"}, {"p", "2"}, {"q", "1"}}, 2), done({{"q", "5"}}, 3)},
                                    space, defaults);
  EXPECT_EQ(starts.candidates, (std::vector<Candidate>{{{"f", "0.5"}, {"p", "2"}}}));
  EXPECT_EQ(starts.unused, 0u);
}

TEST(Starts, OnlyTheBestAndOnlyWhatIsDone) {
  std::vector<Evaluation> elsewhere = {
      {{{"f", "0.5"}, {"p", "1"}}, {Outcome::Status::stopped, 0, "", {}, 0.1}, 1},
      {{{"f", "0.5"}, {"p", "2"}}, {Outcome::Status::infeasible, 0, "no", {}}, 1}};
  EXPECT_TRUE(starts_from(elsewhere, space, defaults).candidates.empty());
  elsewhere.push_back(done({{"f", "0.25"}, {"p", "4"}}, 2));
  elsewhere.push_back(done({{"f", "0.25"}, {"p", "3"}}, 1));
  elsewhere.push_back(done({{"f", "0.5"}, {"p", "4"}}, 3));
  const Starts starts = starts_from(elsewhere, space, defaults, 2);
  EXPECT_EQ(starts.candidates, (std::vector<Candidate>{{{"f", "0.25"}, {"p", "4"}}}));
  EXPECT_EQ(starts.unused, 1u);
}

/// Each problem has its own defaults.
TEST(Starts, TakeTheDefaultsThatAreNearest) {
  const Space two({{"problem", {"a", "b"}}, {"p", {"1", "2"}}, {"f", {"3", "4"}}});
  const std::vector<Candidate> own = {{{"problem", "a"}, {"p", "1"}, {"f", "3"}},
                                      {{"problem", "b"}, {"p", "1"}, {"f", "4"}}};
  const Starts starts =
      starts_from({done({{"problem", "b"}, {"p", "2"}}, 1), done({{"p", "2"}}, 2)}, two, own);
  EXPECT_EQ(starts.candidates, (std::vector<Candidate>{{{"problem", "b"}, {"p", "2"}, {"f", "4"}},
                                                       {{"problem", "a"}, {"p", "2"}, {"f", "3"}}}));
}

}  // namespace
}  // namespace foretile::starts_test
