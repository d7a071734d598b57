// SPDX-License-Identifier: BSD-3-Clause
#include "base/quantile.hpp"

#include <gtest/gtest.h>

namespace foretile::quantile_test {
namespace {

/// Ranks of 19 values: 0.05 x 20 = 1, 0.5 x 20 = 10, 0.95 x 20 = 19. Of 20 values: 1.05, 10.5 and 19.95.
TEST(Quantile, IsAtRankQTimesOneMoreThanTheValues) {
  std::vector<double> values;
  for (int i = 19; i > 0; --i) values.push_back(i);
  EXPECT_DOUBLE_EQ(quantile(values, 0.05), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 19);
  values.push_back(30);
  EXPECT_DOUBLE_EQ(quantile(values, 0.05), 1.05);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 10.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 19 + 0.95 * (30 - 19));
  EXPECT_DOUBLE_EQ(quantile({3, 2}, 0.05), 2);  // beyond the first
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95), 7);
}

}  // namespace
}  // namespace foretile::quantile_test
