// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/shape.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::shape_test {
namespace {

// . x .
// x . x
Shape example() {
  return {2, 3, {{1, 2, 3.0F}, {0, 1, 1.0F}, {1, 0, 2.0F}}};
}

TEST(Shape, NumbersTilesRowByRow) {
  const Shape s = example();
  EXPECT_EQ(s.nonzeros(), 3);
  EXPECT_EQ(s.find(0, 1), 0);
  EXPECT_EQ(s.find(1, 0), 1);
  EXPECT_EQ(s.find(1, 2), 2);
  EXPECT_FALSE(s.contains(0, 0));
  EXPECT_EQ(s.row_of(2), 1);
  EXPECT_EQ(s.column_of(2), 2);
  EXPECT_FLOAT_EQ(s.norm(2), 3.0F);
}

TEST(Shape, ColumnsListTheSameTiles) {
  const Shape s = example();
  for (std::int32_t j = 0; j < s.columns(); ++j) {
    ASSERT_EQ(s.column(j).size(), s.column_ids(j).size());
    for (std::size_t p = 0; p < s.column(j).size(); ++p) {
      EXPECT_EQ(s.find(s.column(j)[p], j), s.column_ids(j)[p]);
    }
  }
}

TEST(Shape, RefusesTilesOutsideAndTwice) {
  EXPECT_THROW(Shape(2, 2, {{2, 0, 1.0F}}), InputError);
  EXPECT_THROW(Shape(2, 2, {{0, -1, 1.0F}}), InputError);
  EXPECT_THROW(Shape(2, 2, {{0, 1, 1.0F}, {0, 1, 2.0F}}), InputError);
}

}  // namespace
}  // namespace foretile::shape_test
