// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::term_steps_test {
namespace {

using Steps = std::vector<std::vector<std::size_t>>;

/// Term 1 waits for 0; 2 and 3 wait for nothing. A step is full with 10. Term 0 comes first, since one waits
/// for it; then the heaviest that is free, 2; then 1, which is two steps behind 0, and last 3.
TEST(StepsOfTerms, PutOthersBetweenTermsThatWait) {
  const std::vector<TermOrder> order{{1, {}}, {2, {0}}, {1, {}}, {1, {}}};
  EXPECT_EQ(steps_of_terms(order, {10, 10, 12, 5}, 10), (Steps{{0}, {2}, {1}, {3}}));
}

/// Where nothing else is left, a term follows in the next step.
TEST(StepsOfTerms, FollowAtOnceWhereNothingElseIsLeft) {
  const std::vector<TermOrder> order{{1, {}}, {2, {0}}, {3, {1}}};
  EXPECT_EQ(steps_of_terms(order, {1, 1, 1}, 10), (Steps{{0}, {1}, {2}}));
  EXPECT_EQ(steps_of_terms({}, {}, 1), Steps{});
}

/// Every term once, in a later step than those that it depends on, whatever the work.
TEST(StepsOfTerms, KeepTheOrderOfTheExample) {
  const auto order = order_of_terms(ccsd_t2(), "test");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<double> work;
    for (std::size_t term = 0; term < order.size(); ++term) work.push_back(random.real());
    const Steps steps = steps_of_terms(order, work, 5 * random.real());
    std::vector<std::size_t> step_of(order.size(), order.size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
      EXPECT_FALSE(steps[step].empty());
      for (const std::size_t term : steps[step]) {
        EXPECT_EQ(step_of[term], order.size());
        step_of[term] = step;
      }
    }
    for (std::size_t term = 0; term < order.size(); ++term) {
      ASSERT_LT(step_of[term], order.size());
      for (const std::size_t before : order[term].depends_on) EXPECT_LT(step_of[before], step_of[term]);
    }
  }
}

}  // namespace
}  // namespace foretile::term_steps_test
