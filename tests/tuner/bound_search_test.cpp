// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/bound_search.hpp"

#include <gtest/gtest.h>

namespace foretile::bound_search_test {
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
  return BoundSearch({box_of(candidate("c"), 5), box_of(candidate("b"), 2), box_of(candidate("a"), 1)});
}

/// The same, with all bounds asked for.
BoundSearch asked_example() {
  BoundSearch search = example();
  for (int n = 0; n < 3; ++n) search.next();
  return search;
}

Box box_with(double bound_s, std::vector<std::string> names) {
  return {bound_s, [names, place = std::size_t{0}]() mutable -> std::optional<Candidate> {
            if (place == names.size()) return std::nullopt;
            return candidate(names[place++]);
          }};
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
  EXPECT_EQ(search.next(), bound("a"));
  search.tell_bound(candidate("a"), 0.5, "");
  EXPECT_EQ(search.least_open_s(), 1);
}

/// Each candidate has the bound of its box until it has its own.
TEST(BoundSearch, TakesFromBoxes) {
  BoundSearch search({box_with(2, {"c", "d"}), box_with(9, {}), box_with(1, {"a", "b"})});
  EXPECT_EQ(search.next(), bound("a"));
  EXPECT_EQ(search.next(), bound("b"));
  search.tell_bound(candidate("a"), 1.5, "");
  search.tell_bound(candidate("b"), 4, "");
  EXPECT_EQ(search.least_open_s(), 1.5);
  EXPECT_EQ(search.next(), evaluate("a"));
  search.tell(candidate("a"), done(3));
  EXPECT_EQ(search.least_open_s(), 2);
  EXPECT_EQ(search.next(), bound("c"));
  search.tell(candidate("d"), done(2.5));  // it was known before
  EXPECT_EQ(search.next(), std::nullopt);
  search.tell_same(candidate("c"), candidate("b"));
  EXPECT_EQ(search.least_open_s(), 4);
}

TEST(BoundSearch, OutOfTurn) {
  BoundSearch search = example();
  EXPECT_TRUE(search.ask(candidate("c"), 5));
  EXPECT_FALSE(search.ask(candidate("c"), 5));
  EXPECT_FALSE(search.evaluate(candidate("c")));  // no bound yet
  search.tell_bound(candidate("c"), 6, "");
  EXPECT_TRUE(search.evaluate(candidate("c")));
  EXPECT_FALSE(search.evaluate(candidate("c")));
  EXPECT_TRUE(search.ask(candidate("outside"), 3));
  search.tell_bound(candidate("outside"), 3, "");
  search.tell(candidate("c"), done(2.5));
  EXPECT_FALSE(search.evaluate(candidate("outside")));  // not better
  EXPECT_FALSE(search.ask(candidate("b"), 2.5));
  EXPECT_TRUE(search.ask(candidate("b"), 2));
  EXPECT_EQ(search.next(), bound("a"));
  EXPECT_EQ(search.next(), std::nullopt);
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
  EXPECT_EQ(search.next(), bound("a"));
  EXPECT_EQ(search.next(), bound("b"));
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

/// Its time is unknown.
TEST(BoundSearch, AFailedEvaluationStaysOpen) {
  BoundSearch search = example();
  search.tell(candidate("a"), {Outcome::Status::failed, 0, "crashed", {}});
  EXPECT_EQ(search.least_open_s(), 1);
  EXPECT_EQ(search.next(), bound("b"));
  EXPECT_EQ(search.least_open_s(), 1);
}

/// Whoever comes first stands for the plan; its outcome closes all.
TEST(BoundSearch, EachPlanOnce) {
  BoundSearch search = asked_example();
  search.tell_bound(candidate("a"), 3, "same");
  search.tell_bound(candidate("b"), 3, "same");
  EXPECT_EQ(search.next(), evaluate("a"));
  search.tell(candidate("a"), done(7));
  EXPECT_EQ(search.least_open_s(), 5);
  search.tell_same(candidate("c"), candidate("b"));
  EXPECT_EQ(search.with_plan("same"),
            (std::vector<Candidate>{candidate("a"), candidate("b"), candidate("c")}));
  EXPECT_TRUE(search.with_plan("").empty());
  EXPECT_EQ(search.same_as(candidate("c")), candidate("b"));
  EXPECT_EQ(search.same_as(candidate("b")), std::nullopt);
  EXPECT_EQ(search.same_as(candidate("never asked for")), std::nullopt);
  EXPECT_EQ(search.least_open_s(), std::numeric_limits<double>::infinity());
}

/// A plan that an earlier run has evaluated need not be evaluated again for another candidate.
TEST(BoundSearch, KnowsPlansOfAnEarlierRun) {
  BoundSearch search = example();
  search.tell({{"q", "outside"}}, {Outcome::Status::done, 7, "", {{"plan", "known"}}});
  EXPECT_EQ(search.next(), bound("a"));
  search.tell_bound(candidate("a"), 1, "known");
  EXPECT_EQ(search.least_open_s(), 2);
}

TEST(BoundSearch, OfNothing) {
  BoundSearch search({});
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.least_open_s(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace foretile::bound_search_test
