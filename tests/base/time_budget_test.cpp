// SPDX-License-Identifier: BSD-3-Clause
#include "base/time_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::time_budget_test {
namespace {

TEST(TimeBudget, SharesWhatIsLeft) {
  double now = 5;
  const TimeBudget budget(10, [&now] { return now; });
  EXPECT_EQ(budget.share(1, 4), 2.5);
  now = 7;
  EXPECT_EQ(budget.left(), 8);
  const TimeBudget part = budget.part(1, 4);
  EXPECT_EQ(part.left(), 2);
  now = 10;
  EXPECT_TRUE(part.over());
  EXPECT_EQ(part.elapsed(), 3);
  EXPECT_EQ(budget.left(), 5);
  now = 100;
  EXPECT_EQ(budget.left(), 0);
  EXPECT_EQ(budget.share(1, 1), 0);
}

TEST(TimeBudget, ExtendedBeginsTogetherAndEndsLater) {
  double now = 5;
  const TimeBudget budget(10, [&now] { return now; });
  now = 10;
  const TimeBudget longer = budget.extended(0.1, 4);
  EXPECT_EQ(budget.share_used(), 0.5);
  EXPECT_EQ(longer.elapsed(), 5);
  EXPECT_NEAR(longer.left(), 10, 1e-12);
}

TEST(TimeBudget, WithoutSecondsNeverEnds) {
  double now = 0;
  const TimeBudget budget(INFINITY, [&now] { return now; });
  const TimeBudget part = budget.part(1, 1000);
  now = 1e9;
  EXPECT_FALSE(part.over());
  EXPECT_FALSE(part.extended(0.1, 4).over());
  EXPECT_EQ(part.share_used(), 0);
}

}  // namespace
}  // namespace foretile::time_budget_test
