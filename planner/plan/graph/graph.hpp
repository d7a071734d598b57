// SPDX-License-Identifier: BSD-3-Clause
// The plan as a Boost.Graph compressed-sparse-row graph at chunk level: data DAG and control DAG over the
// same nodes (RR-9365 section 4).
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <ostream>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

enum class NodeKind : std::uint8_t {
  broadcast,      ///< a message tree of tiles of A or B, place.chunk is the number of the broadcast
  chunk,          ///< load of a chunk (and B at its first use) and its products
  store,          ///< C of a block goes back to the host; the block's memory is free
  local_barrier,  ///< a step is over on place.rank
  global_barrier  ///< a step may begin on all ranks
};

enum class EdgeKind : std::uint8_t { data, control };

struct PlanNode {
  NodeKind kind = NodeKind::chunk;
  ChunkPlace place;
  Step step = 0;  ///< of chunks, messages and barriers
};

struct PlanEdge {
  EdgeKind kind = EdgeKind::data;
};

using PlanGraph = boost::compressed_sparse_row_graph<boost::directedS, PlanNode, PlanEdge>;

/// Without messages, in time linear in the number of chunks. Data edges: chunk -> store of its block. Control
/// edges: chunk z -> chunk z + 1 (order of accumulation), store -> first chunk of the next block. (Chunk z
/// also holds back the *loads* of chunk z + 1 + lookahead; order implies it.) Barriers are nodes for the
/// steps that occur, each control edge to the next one of its chain; with s' the step s + 1 + lookahead:
///  - chunk of step s -> local barrier (rank, s),
///  - Barriers::local: local barrier s -> the rank's chunks of step s',
///  - Barriers::global: local barrier s -> global barrier s' -> chunks and messages of step s' (RR-9289 2:
///    local barriers point to the global one of index succ^(lookahead + 1)).
PlanGraph build_graph(const Plan& plan);

/// With messages, of a plan that verifies. Data edges: broadcast -> the chunks on other ranks that use one of
/// its tiles at one of its steps. Linear in the products, too, where B streams.
PlanGraph build_graph(const Plan& plan, const Contraction& contraction);

/// Throws InputError when data and control edges together form a cycle.
void require_acyclic(const PlanGraph& graph);

/// GraphViz text; control edges are dashed.
void write_dot(std::ostream& out, const PlanGraph& graph);

}  // namespace foretile
