// The plan as a Boost.Graph compressed-sparse-row graph at chunk level: data DAG and control DAG over the
// same nodes (RR-9365 section 4).
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <ostream>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "platforms/machine.hpp"

namespace foretile {

enum class NodeKind : std::uint8_t {
  broadcast,  ///< a message tree of A tiles, place.chunk is the number of the broadcast
  chunk,      ///< load of a chunk of A (and B at its first use) and its products
  store       ///< C of a block goes back to the host; the block's memory is free
};

enum class EdgeKind : std::uint8_t { data, control };

struct PlanNode {
  NodeKind kind = NodeKind::chunk;
  ChunkPlace place;
};

struct PlanEdge {
  EdgeKind kind = EdgeKind::data;
};

using PlanGraph = boost::compressed_sparse_row_graph<boost::directedS, PlanNode, PlanEdge>;

/// Data edges: broadcast -> the chunks on other ranks that use one of its tiles; chunk -> store of its block.
/// Control edges: chunk z -> chunk z + 1 (order of accumulation), store -> first chunk of the next block.
/// (Chunk z also holds back the *loads* of chunk z + 1 + lookahead; order implies it.) With `with_broadcasts`
/// false the messages are left out: time linear in the number of chunks.
PlanGraph build_graph(const Plan& plan, bool with_broadcasts = true);

/// Throws InputError when data and control edges together form a cycle. Messages cannot be part of one, since
/// nothing precedes them.
void require_acyclic(const Plan& plan);

struct CriticalPath {
  double seconds = 0;
  std::vector<std::size_t> nodes;  ///< first to last
};

/// Longest path when each node takes its own least time on the machine: products at the kernel model's rate,
/// loads and stores at one device's link, messages at one rank's rate, one after the other along the tree.
CriticalPath critical_path(const PlanGraph& graph, const Plan& plan, const Contraction& contraction,
                           const Machine& machine);

/// GraphViz text; control edges are dashed.
void write_dot(std::ostream& out, const PlanGraph& graph);

}  // namespace foretile
