// SPDX-License-Identifier: BSD-3-Clause
// Nodes and edges before they are compressed.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "planner/plan/graph/graph.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

struct GraphParts {
  std::vector<PlanNode> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<PlanEdge> kinds;

  void add_edge(std::size_t from, std::size_t to, EdgeKind kind) {
    ends.emplace_back(from, to);
    kinds.push_back({kind});
  }
};

/// Blocks, rank by rank and device by device: chunks and the store behind them.
void add_blocks(const Plan& plan, GraphParts& parts);

/// Messages, rank by rank in sending order, and the data edges to the chunks that use their tiles.
void add_messages(const Plan& plan, const Contraction& contraction, GraphParts& parts);

/// Local and global barriers for the steps of the nodes that are there.
void add_barriers(const Plan& plan, GraphParts& parts);

inline const Block& block_at(const Plan& plan, const ChunkPlace& at) {
  return plan.ranks[at.rank].devices[at.device].blocks[at.block];
}

PlanGraph compress(const GraphParts& parts);

/// From the last node to the first. Throws InputError when there is a cycle.
std::vector<std::size_t> reverse_order(const PlanGraph& graph);

}  // namespace foretile
