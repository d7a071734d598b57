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

/// Bounds 1, 2, 2, 3 and 5 s; d and e stand for the same plan.
BoundSearch example() {
  return BoundSearch({{candidate("f"), 5, "f"},
                      {candidate("e"), 3, "same"},
                      {candidate("b"), 2, "b"},
                      {candidate("a"), 1, "a"},
                      {candidate("d"), 2, "same"}});
}

TEST(BoundSearch, LeastBoundFirstAndEachPlanOnce) {
  BoundSearch search = example();
  for (const char* expected : {"a", "b", "d", "f"}) EXPECT_EQ(search.next(), candidate(expected));
  EXPECT_EQ(search.next(), std::nullopt);
}

/// 4 s were reached: 5 s cannot be better, and 4 s neither.
TEST(BoundSearch, StopsWhereNothingCanBeBetter) {
  BoundSearch search = example();
  EXPECT_EQ(search.next(), candidate("a"));
  EXPECT_EQ(search.least_open_s(), 1);
  search.tell(candidate("a"), done(4));
  EXPECT_EQ(search.least_open_s(), 2);
  EXPECT_EQ(search.next(), candidate("b"));
  EXPECT_EQ(search.next(), candidate("d"));
  EXPECT_EQ(search.next(), std::nullopt);
  search.tell(candidate("b"), {Outcome::Status::infeasible, 0, "no", {}});
  search.tell(candidate("d"), done(4.5));
  EXPECT_EQ(search.least_open_s(), 5);
  search.tell({{"q", "outside"}}, done(1.5));  // of an earlier run
  EXPECT_EQ(search.next(), std::nullopt);
}

TEST(BoundSearch, AnEqualBoundIsNotBetter) {
  BoundSearch search({{candidate("a"), 2, "a"}});
  search.tell({{"q", "1"}}, done(2));
  EXPECT_EQ(search.next(), std::nullopt);
}

/// Nobody knows how long it takes.
TEST(BoundSearch, AFailedEvaluationStaysOpen) {
  BoundSearch search = example();
  search.next();
  search.tell(candidate("a"), {Outcome::Status::failed, 0, "crashed", {}});
  EXPECT_EQ(search.least_open_s(), 1);
}

/// A plan that is known need not be evaluated again for another candidate.
TEST(BoundSearch, OneOutcomeClosesAllCandidatesOfThePlan) {
  BoundSearch search = example();
  search.tell(candidate("e"), done(7));
  for (const char* expected : {"a", "b", "f"}) EXPECT_EQ(search.next(), candidate(expected));
}

TEST(BoundSearch, OfNothing) {
  BoundSearch search({});
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_EQ(search.least_open_s(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace foretile
