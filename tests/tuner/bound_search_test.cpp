#include "tuner/bound_search.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

Candidate candidate(const std::string& value) {
  return {{"p", value}};
}

Outcome done(double seconds) {
  return {Outcome::Status::done, seconds, "", {}};
}

using Step = BoundSearch::Step;
using Task = BoundSearch::Task;

std::optional<Task> bound(const char* name) {
  return Task{candidate(name), Step::bound};
}
std::optional<Task> evaluate(const char* name) {
  return Task{candidate(name), Step::evaluate};
}

/// First bounds 1, 2 and 5 s.
BoundSearch example() {
  return BoundSearch({{candidate("c"), 5}, {candidate("b"), 2}, {candidate("a"), 1}});
}

/// a's own bound is above b's first one: b's turn. What has the least bound is evaluated once the bound is
/// its own.
TEST(BoundSearch, LeastBoundFirst) {
  BoundSearch search = example();
  EXPECT_EQ(search.next(), bound("a"));
  search.tell_bound(candidate("a"), 3, "");
  EXPECT_EQ(search.next(), bound("b"));
  search.tell_bound(candidate("b"), 4, "");
  EXPECT_EQ(search.next(), evaluate("a"));
  EXPECT_EQ(search.next(), evaluate("b"));
  EXPECT_EQ(search.next(), bound("c"));
  EXPECT_EQ(search.next(), std::nullopt);
}

/// A bound below the first one, which is a bound too, does not count.
TEST(BoundSearch, BoundsDoNotSink) {
  BoundSearch search = example();
  search.tell_bound(candidate("c"), 1, "");
  EXPECT_EQ(search.next(), bound("a"));
  EXPECT_EQ(search.next(), bound("b"));
  EXPECT_EQ(search.least_open_s(), 1);
}

TEST(BoundSearch, EvaluatesFirstWhereAsked) {
  BoundSearch search = example();
  EXPECT_EQ(search.next(true), bound("a"));
  search.tell_bound(candidate("a"), 3, "");
  EXPECT_EQ(search.next(true), evaluate("a"));
  EXPECT_EQ(search.next(true), bound("b"));
}

/// 4 s were reached: 5 s cannot be better, and 4 s neither.
TEST(BoundSearch, StopsWhereNothingCanBeBetter) {
  BoundSearch search = example();
  search.next();
  search.tell_bound(candidate("a"), 1, "");
  EXPECT_EQ(search.next(), evaluate("a"));
  EXPECT_EQ(search.least_open_s(), 1);
  search.tell(candidate("a"), done(4));
  EXPECT_EQ(search.least_open_s(), 2);
  EXPECT_EQ(search.next(), bound("b"));
  search.tell_bound(candidate("b"), 4, "");
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.least_open_s(), 4);
}

/// What does not fit is closed; what was stopped too: it takes longer than the best.
TEST(BoundSearch, ClosesWhatIsInfeasibleOrStopped) {
  BoundSearch search = example();
  search.tell(candidate("a"), {Outcome::Status::infeasible, 0, "no", {}});
  EXPECT_EQ(search.least_open_s(), 2);
  search.tell(candidate("b"), {Outcome::Status::stopped, 0, "", {}, 9});
  EXPECT_EQ(search.least_open_s(), 5);
  EXPECT_EQ(search.next(), bound("c"));
}

TEST(BoundSearch, OutcomesOfAnEarlierRunCount) {
  BoundSearch search = example();
  search.tell({{"q", "outside"}}, done(1.5));
  EXPECT_EQ(search.next(), bound("a"));
  EXPECT_EQ(search.next(), std::nullopt);
}

/// Nobody knows how long it takes.
TEST(BoundSearch, AFailedEvaluationStaysOpen) {
  BoundSearch search = example();
  search.tell(candidate("a"), {Outcome::Status::failed, 0, "crashed", {}});
  EXPECT_EQ(search.least_open_s(), 1);
  EXPECT_EQ(search.next(), bound("b"));
}

/// Whoever comes first stands for the plan; its outcome closes all.
TEST(BoundSearch, EachPlanOnce) {
  BoundSearch search = example();
  search.tell_bound(candidate("a"), 3, "same");
  search.tell_bound(candidate("b"), 3, "same");
  EXPECT_EQ(search.next(), evaluate("a"));
  search.tell(candidate("a"), done(7));
  EXPECT_EQ(search.least_open_s(), 5);
  search.tell_bound(candidate("c"), 6, "same");
  EXPECT_EQ(search.with_plan("same"),
            (std::vector<Candidate>{candidate("c"), candidate("b"), candidate("a")}));
  EXPECT_TRUE(search.with_plan("").empty());
  EXPECT_EQ(search.least_open_s(), std::numeric_limits<double>::infinity());
}

/// A plan that an earlier run has evaluated need not be evaluated again for another candidate.
TEST(BoundSearch, KnowsPlansOfAnEarlierRun) {
  BoundSearch search = example();
  search.tell({{"q", "outside"}}, {Outcome::Status::done, 7, "", {{"plan", "known"}}});
  search.tell_bound(candidate("a"), 1, "known");
  EXPECT_EQ(search.least_open_s(), 2);
}

TEST(BoundSearch, OfNothing) {
  BoundSearch search({});
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.least_open_s(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace foretile
