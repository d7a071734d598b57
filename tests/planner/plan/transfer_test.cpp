// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/random.hpp"

namespace foretile::transfer_test {
namespace {

using Ints = std::vector<int>;

/// Eight positions, in rounds in which every position that has the message passes it on: 0 -> 1; then 0 -> 2
/// and 1 -> 3; then 0 -> 4, 1 -> 5, 2 -> 6, 3 -> 7.
TEST(Tree, EightPositionsByHand) {
  EXPECT_EQ(tree_children(Tree::binomial, 0, 8), (Ints{1, 2, 4}));
  EXPECT_EQ(tree_children(Tree::binomial, 1, 8), (Ints{3, 5}));
  EXPECT_EQ(tree_children(Tree::binomial, 2, 8), (Ints{6}));
  EXPECT_EQ(tree_children(Tree::binomial, 3, 8), (Ints{7}));
  for (int leaf = 4; leaf < 8; ++leaf) EXPECT_TRUE(tree_children(Tree::binomial, leaf, 8).empty());
  EXPECT_TRUE(tree_children(Tree::binomial, 0, 1).empty());
}

/// Each position reached once, parents as documented; one send per round and position reaches all in
/// ceil(log2 size) rounds, which no tree can beat.
TEST(Tree, ReachesEveryPositionOnceInTheFewestRounds) {
  for (int size = 1; size <= 200; ++size) {
    SCOPED_TRACE(size);
    std::vector<int> round(size, -1);
    round[0] = 0;
    std::vector<int> order{0};
    for (std::size_t next = 0; next < order.size(); ++next) {
      const int position = order[next];
      int sent = 0;
      for (const int child : tree_children(Tree::binomial, position, size)) {
        ASSERT_LT(child, size);
        ASSERT_EQ(round[child], -1);
        EXPECT_EQ(child - static_cast<int>(std::bit_floor(static_cast<unsigned>(child))), position);
        round[child] = round[position] + ++sent;
        EXPECT_LE(round[child], std::bit_width(static_cast<unsigned>(size) - 1));
        order.push_back(child);
      }
    }
    EXPECT_EQ(order.size(), static_cast<std::size_t>(size));
  }
}

/// 0 -> 1 -> 2 -> 3.
TEST(Tree, AChainOfFourByHand) {
  EXPECT_EQ(tree_children(Tree::chain, 0, 4), (Ints{1}));
  EXPECT_EQ(tree_children(Tree::chain, 1, 4), (Ints{2}));
  EXPECT_EQ(tree_children(Tree::chain, 2, 4), (Ints{3}));
  EXPECT_TRUE(tree_children(Tree::chain, 3, 4).empty());
  EXPECT_TRUE(tree_children(Tree::chain, 0, 1).empty());
}

/// With 11 = 1011b: without the highest bit 3 = 11b, then 1, then 0.
TEST(Tree, ParentsByHand) {
  EXPECT_EQ(tree_parent(Tree::binomial, 11), 3);
  EXPECT_EQ(tree_parent(Tree::binomial, 3), 1);
  EXPECT_EQ(tree_parent(Tree::binomial, 1), 0);
  EXPECT_EQ(tree_parent(Tree::chain, 11), 10);
}

/// Three nodes with positions 0-1, 2-4 and 5: 0 sends to the first of the others, 2 and 5, then to 1; 2 to 3
/// and 4.
TEST(Tree, ByNodeByHand) {
  const Ints starts{0, 2, 5};
  EXPECT_EQ(children_by_node(Tree::by_node, starts, 0, 6), (Ints{2, 5, 1}));
  EXPECT_EQ(children_by_node(Tree::by_node, starts, 2, 6), (Ints{3, 4}));
  for (const int leaf : {1, 3, 4, 5}) EXPECT_TRUE(children_by_node(Tree::by_node, starts, leaf, 6).empty());
  EXPECT_EQ(parent_by_node(Tree::by_node, starts, 4), 2);
  EXPECT_EQ(parent_by_node(Tree::by_node, starts, 5), 0);
}

/// Four nodes of one position, and nodes of 2, 3 and 1: the first one sends to the second alone.
TEST(Tree, ScatterByHand) {
  const Ints single{0, 1, 2, 3};
  EXPECT_EQ(children_by_node(Tree::scatter, single, 0, 4), (Ints{1}));
  EXPECT_EQ(children_by_node(Tree::scatter, single, 1, 4), (Ints{2, 3}));
  EXPECT_TRUE(children_by_node(Tree::scatter, single, 2, 4).empty());
  EXPECT_EQ(parent_by_node(Tree::scatter, single, 3), 1);
  const Ints starts{0, 2, 5};
  EXPECT_EQ(children_by_node(Tree::scatter, starts, 0, 6), (Ints{2, 1}));
  EXPECT_EQ(children_by_node(Tree::scatter, starts, 2, 6), (Ints{5, 3, 4}));
}

/// Ranks 5, 4 | 0, 1, 2 | 6 in nodes of three.
TEST(Tree, NodesStartWhereTheNodeChanges) {
  Transfer transfer;
  for (const int rank : {4, 0, 1, 2, 6}) transfer.others.push_back(Rank::of(rank));
  transfer.tree = Tree::by_node;
  transfer.ranks_of_node = 3;
  EXPECT_EQ(children_of(transfer, Rank::of(5), 0), (Ints{2, 5, 1}));
  transfer.tree = Tree::chain;
  EXPECT_EQ(children_of(transfer, Rank::of(5), 0), (Ints{1}));
}

/// Every position is reached once, and each node is entered once: random nodes of up to 80 positions.
TEST(Tree, EachNodeIsEnteredOnce) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Ints starts;
    int size = 0;
    for (std::int64_t nodes = random.integer(1, 9); nodes > 0; --nodes) {
      starts.push_back(size);
      size += static_cast<int>(random.integer(1, 9));
    }
    const auto node_of = [&](int position) {
      return std::ranges::upper_bound(starts, position) - starts.begin();
    };
    for (const Tree tree : {Tree::by_node, Tree::scatter}) {
      Ints entered(size, 0);
      int between = 0;
      for (int position = 0; position < size; ++position) {
        for (const int child : children_by_node(tree, starts, position, size)) {
          ASSERT_EQ(parent_by_node(tree, starts, child), position);
          ++entered[static_cast<std::size_t>(child)];
          between += node_of(child) != node_of(position) ? 1 : 0;
        }
      }
      Ints once(size, 1);
      once.front() = 0;
      EXPECT_EQ(entered, once);
      EXPECT_EQ(between, static_cast<int>(starts.size()) - 1);
    }
  }
}

TEST(Tree, ParentsAndChildrenAgree) {
  for (const Tree tree : {Tree::binomial, Tree::chain}) {
    for (int size = 1; size <= 40; ++size) {
      int found = 0;
      for (int position = 0; position < size; ++position) {
        for (const int child : tree_children(tree, position, size)) {
          ASSERT_EQ(tree_parent(tree, child), position);
          ++found;
        }
      }
      EXPECT_EQ(found, size - 1);
    }
  }
}

}  // namespace
}  // namespace foretile::transfer_test
