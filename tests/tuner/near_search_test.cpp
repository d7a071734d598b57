// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/near_search.hpp"

#include <gtest/gtest.h>

namespace foretile::near_search_test {
namespace {

using Step = BoundSearch::Step;
using Task = BoundSearch::Task;

Candidate candidate(const std::string& p, const std::string& f) {
  return {{"p", p}, {"f", f}};
}

class NearSearchTest : public testing::Test {
 protected:
  std::optional<Task> next() { return near_.next(search_); }
  void tell_bound(const Candidate& of, double seconds) {
    search_.tell_bound(of, seconds, "");
    near_.bounded(of);
  }
  void tell(const Candidate& of, double seconds, bool better) {
    search_.tell(of, {Outcome::Status::done, seconds, "", {}});
    near_.found(of, better);
  }

  Space space_{{{"p", {"1", "2", "3"}}, {"f", {"1", "2"}}}};
  std::function<double(const Candidate&)> first_bound_;
  BoundSearch search_{{}};
  NearSearch near_{space_, first_bound_};
};

/// Of 2 1: 1 1, 3 1 and 2 2. Each is evaluated once its bound is known and below the best time.
TEST_F(NearSearchTest, BoundsThenEvaluates) {
  EXPECT_EQ(next(), std::nullopt);
  tell(candidate("2", "1"), 5, true);
  EXPECT_EQ(next(), (Task{candidate("1", "1"), Step::bound}));
  EXPECT_EQ(next(), (Task{candidate("3", "1"), Step::bound}));
  tell_bound(candidate("3", "1"), 4);
  tell_bound(candidate("1", "1"), 5);  // cannot be better
  EXPECT_EQ(next(), (Task{candidate("3", "1"), Step::evaluate}));
  EXPECT_EQ(next(), (Task{candidate("2", "2"), Step::bound}));
  EXPECT_EQ(next(), std::nullopt);
}

/// A better one's neighbours take the place of those left; those of an equal one come behind.
TEST_F(NearSearchTest, FollowsTheBest) {
  tell(candidate("2", "1"), 5, true);
  tell(candidate("1", "2"), 4, true);
  EXPECT_EQ(next(), (Task{candidate("2", "2"), Step::bound}));
  tell(candidate("3", "2"), 4, false);
  EXPECT_EQ(next(), (Task{candidate("1", "1"), Step::bound}));
  EXPECT_EQ(next(), (Task{candidate("3", "1"), Step::bound}));
  EXPECT_EQ(next(), std::nullopt);
}

/// Of the defaults, which need not be in the space: 4 1 has the neighbours 1 1, 2 1 and 3 1 there, and 4 2
/// outside.
TEST_F(NearSearchTest, AsksForTheSpaceOnly) {
  tell(candidate("4", "1"), 5, true);
  for (const std::string p : {"1", "2", "3"}) EXPECT_EQ(next(), (Task{candidate(p, "1"), Step::bound}));
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(NearSearchTest, FirstBoundsLeaveOut) {
  first_bound_ = [](const Candidate& of) { return of.at("p") == "3" ? 9.0 : 1.0; };
  tell(candidate("2", "1"), 5, true);
  EXPECT_EQ(next(), (Task{candidate("1", "1"), Step::bound}));
  EXPECT_EQ(next(), (Task{candidate("2", "2"), Step::bound}));
  EXPECT_EQ(next(), std::nullopt);
}

/// The search by bounds asked for it before, and has its bound.
TEST_F(NearSearchTest, EvaluatesWhatWaits) {
  BoundSearch search({box_of(candidate("2", "2"), 1)});
  EXPECT_EQ(search.next(), (Task{candidate("2", "2"), Step::bound}));
  search.tell_bound(candidate("2", "2"), 3, "");
  near_.found(candidate("2", "1"), true);
  EXPECT_EQ(near_.next(search), (Task{candidate("1", "1"), Step::bound}));
  EXPECT_EQ(near_.next(search), (Task{candidate("3", "1"), Step::bound}));
  EXPECT_EQ(near_.next(search), (Task{candidate("2", "2"), Step::evaluate}));
}

}  // namespace
}  // namespace foretile::near_search_test
