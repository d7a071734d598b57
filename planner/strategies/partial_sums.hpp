// SPDX-License-Identifier: BSD-3-Clause
// The sums of a rank in which C stays on the devices and each layer multiplies a share of K.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/sum.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/stream_bytes.hpp"

namespace foretile {

struct TreeOfRanks {
  Tree tree = Tree::binomial;
  int ranks_of_node = 1;  ///< where the tree knows nodes
};

/// All sums that `rank` takes part in. The ranks at the same row and column of the grid form the tree of a
/// tile of C: its owner first, then those layers that have a part of it, in the order of
/// ProcessGrid::ring_from(). Where the tree knows nodes, those of a node follow each other, so that a sum
/// enters it once. Else the order of additions depends on the grid, and on the ranks of a node along r only
/// where r has several prime factors. A rank adds what comes from smaller subtrees first. Tiles of a block
/// with equal trees and devices share a sum of up to `sum_bytes` (always at least one tile). O(products of
/// the tiles of C at the rank's row and column) unless A and B are dense.
std::vector<Sum> sums_of(const Contraction& contraction, const Blocking& blocking, Rank rank,
                         const TreeOfRanks& tree, std::int64_t sum_bytes);

}  // namespace foretile
