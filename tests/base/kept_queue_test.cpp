// SPDX-License-Identifier: BSD-3-Clause
#include "base/kept_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

namespace foretile::kept_queue_test {
namespace {

TEST(KeptQueue, AgreesWithADeque) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 draw(seed);
    KeptQueue<std::unique_ptr<int>> queue(seed % 4);
    std::deque<int> reference;
    for (int step = 0; step < 2000; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      if (draw() % 100 < (step < 1000 ? 55U : 45U)) {
        EXPECT_EQ(*queue.push_back(std::make_unique<int>(step)), step);
        reference.push_back(step);
      } else if (!reference.empty()) {
        ASSERT_EQ(*queue.front(), reference.front());
        if (draw() % 2 == 0) {
          ASSERT_EQ(*queue.take_front(), reference.front());
        } else {
          queue.pop_front();
        }
        reference.pop_front();
      }
      ASSERT_EQ(queue.size(), reference.size());
      ASSERT_EQ(queue.empty(), reference.empty());
      if (!reference.empty()) {
        ASSERT_EQ(*queue[reference.size() - 1], reference.back());
      }
    }
  }
}

/// What has left is gone, though its place stays.
TEST(KeptQueue, EntriesThatLeaveAreDestroyed) {
  const auto watched = std::make_shared<int>(1);
  KeptQueue<std::shared_ptr<int>> queue;
  queue.push_back(watched);
  EXPECT_EQ(watched.use_count(), 2);
  queue.pop_front();
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace foretile::kept_queue_test
