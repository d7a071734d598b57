// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/task.hpp"

#include <gtest/gtest.h>

namespace foretile::task_test {
namespace {

TEST(Task, NamesTilesByRowAndColumn) {
  const Contraction p{"p",
                      Tiling::uniform(4, 1),
                      Tiling::uniform(5, 1),
                      Tiling::uniform(3, 1),
                      Shape::dense(4, 3),
                      Shape::dense(3, 5),
                      Shape::dense(4, 5)};
  const TileRef c{Matrix::c, *p.c.find(3, 4)};
  EXPECT_EQ(described(p, {Task::Kind::multiply, c, 2, 1}), "multiplying C(3,4) += A(3,2) B(2,4)");
  EXPECT_EQ(described(p, {Task::Kind::multiply, c, 2, 16}),
            "multiplying C(3,4) += A(3,2) B(2,4) and 15 more");
  EXPECT_EQ(described(p, {Task::Kind::load, {Matrix::b, *p.b.find(2, 1)}, -1, 2}),
            "loading B(2,1) and 1 more");
}

}  // namespace
}  // namespace foretile::task_test
