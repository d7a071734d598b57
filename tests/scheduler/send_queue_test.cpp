// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/send_queue.hpp"

#include <gtest/gtest.h>

namespace foretile::send_queue_test {
namespace {

Message message(int number, std::vector<Rank> destinations, int position) {
  return {std::make_shared<Transfer>(Transfer{{0}, std::move(destinations)}), 0, number, position, 8};
}

/// Five ranks: the owner passes on to positions 1, 2 and 4, which are destinations 0, 1 and 3.
TEST(SendQueue, SendsToTheChildrenLargestSubtreeFirst) {
  SendQueue send_queue;
  send_queue.forward(message(0, {11, 12, 13, 14}, 0));
  for (const auto& [rank, position] : {std::pair(11, 1), {12, 2}, {14, 4}}) {
    ASSERT_FALSE(send_queue.empty());
    const SendQueue::Entry entry = send_queue.take();
    EXPECT_EQ(entry.to_rank, rank);
    EXPECT_EQ(entry.message.position, position);
    EXPECT_EQ(entry.message.bytes, 8);
  }
  EXPECT_TRUE(send_queue.empty());
}

/// The owner sends to the first rank alone, position 2 to the third.
TEST(SendQueue, SendsAlongAChain) {
  Transfer chain{{0}, {11, 12, 13, 14}};
  chain.tree = Tree::chain;
  for (const auto& [position, rank] : {std::pair(0, 11), {2, 13}}) {
    SendQueue send_queue;
    send_queue.forward({std::make_shared<Transfer>(chain), 0, 0, position, 8});
    ASSERT_FALSE(send_queue.empty());
    const SendQueue::Entry entry = send_queue.take();
    EXPECT_EQ(entry.to_rank, rank);
    EXPECT_EQ(entry.message.position, position + 1);
    EXPECT_TRUE(send_queue.empty());
  }
}

TEST(SendQueue, EarlierBroadcastsOvertake) {
  SendQueue send_queue;
  send_queue.forward(message(2, {5}, 0));
  send_queue.forward(message(0, {6, 7, 8}, 1));  // one that is passed on, to position 3
  send_queue.forward(message(0, {9}, 0));
  std::vector<int> order;
  while (!send_queue.empty()) order.push_back(send_queue.take().to_rank);
  EXPECT_EQ(order, (std::vector<int>{8, 9, 5}));
}

TEST(SendQueue, LeavesHaveNobodyToPassOnTo) {
  SendQueue send_queue;
  send_queue.forward(message(0, {6, 7, 8}, 3));
  EXPECT_TRUE(send_queue.empty());
}

}  // namespace
}  // namespace foretile::send_queue_test
