// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/node_queue.hpp"

#include <gtest/gtest.h>

namespace foretile::node_queue_test {
namespace {

/// Node 1 is asked after 1 and 2 s and takes 3 s for each, then again after 9 s. Node 0 is free.
TEST(NodeQueue, ServesOneAfterTheOther) {
  NodeQueue queue(2);
  EXPECT_DOUBLE_EQ(queue.serve(1, 1, 3).end_s, 4);
  const ServedTime second = queue.serve(1, 2, 3);
  EXPECT_DOUBLE_EQ(second.start_s, 4);
  EXPECT_DOUBLE_EQ(second.end_s, 7);
  EXPECT_DOUBLE_EQ(queue.serve(1, 9, 3).start_s, 9);
  EXPECT_DOUBLE_EQ(queue.serve(0, 2, 1).start_s, 2);
  EXPECT_DOUBLE_EQ(queue.busy_s(), 10);
}

}  // namespace
}  // namespace foretile::node_queue_test
