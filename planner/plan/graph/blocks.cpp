#include "planner/plan/graph/parts.hpp"

namespace foretile {

namespace {

/// Chunks one after the other, then the store, which holds back the next block.
void add_block(const Block& block, ChunkPlace at, GraphParts& parts) {
  const std::size_t first = parts.nodes.size();
  const std::size_t store = first + block.chunks.size();
  for (at.chunk = 0; at.chunk < static_cast<int>(block.chunks.size()); ++at.chunk) {
    const std::size_t node = parts.nodes.size();
    parts.nodes.push_back({NodeKind::chunk, at, block.chunks[at.chunk].step});
    parts.add_edge(node, store, EdgeKind::data);
    if (node + 1 < store) parts.add_edge(node, node + 1, EdgeKind::control);
  }
  at.chunk = -1;
  parts.nodes.push_back({NodeKind::store, at, 0});
}

}  // namespace

void add_blocks(const Plan& plan, GraphParts& parts) {
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    for (std::size_t d = 0; d < plan.ranks[r].devices.size(); ++d) {
      const auto& blocks = plan.ranks[r].devices[d].blocks;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::size_t first = parts.nodes.size();
        if (b > 0) parts.add_edge(first - 1, first, EdgeKind::control);
        add_block(blocks[b], {static_cast<int>(r), static_cast<int>(d), static_cast<int>(b), 0}, parts);
      }
    }
  }
}

}  // namespace foretile
