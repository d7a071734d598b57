#include <optional>

#include "planner/plan/graph/message_edges.hpp"
#include "planner/plan/graph/parts.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// Tiles of B that chunks use, each once; chunks in node order, so that each block is enumerated once.
class TilesOfB {
 public:
  TilesOfB(const Plan& plan, const Contraction& p) : plan_(plan), p_(p), seen_(p.b.nonzeros(), kNone) {}

  const std::vector<TileId>& of(const ChunkPlace& place, std::size_t number) {
    const Block& block = block_at(plan_, place);
    if (place.chunk == 0) products_.emplace(p_, block.columns);
    found_.clear();
    for (const TileId a : block.chunks[place.chunk].a) {
      products_->for_each(a, [&](const Product& product) {
        if (seen_[product.b] == number) return;
        seen_[product.b] = number;
        found_.push_back(product.b);
      });
    }
    return found_;
  }

 private:
  static constexpr auto kNone = static_cast<std::size_t>(-1);
  const Plan& plan_;
  const Contraction& p_;
  std::optional<BlockProducts> products_;  // of the block at hand
  std::vector<std::size_t> seen_;          // last chunk that used the tile
  std::vector<TileId> found_;
};

}  // namespace

void add_messages(const Plan& plan, const Contraction& contraction, GraphParts& parts) {
  const std::size_t blocks_end = parts.nodes.size();
  MessageEdges edges(plan, contraction, parts);
  TilesOfB b_tiles(plan, contraction);
  int rank = -1;
  for (std::size_t n = 0; n < blocks_end; ++n) {
    const PlanNode node = parts.nodes[n];
    if (node.kind != NodeKind::chunk) continue;
    if (node.place.rank != rank) {
      rank = node.place.rank;
      edges.open(rank);
    }
    if (edges.none()) continue;
    edges.use(Matrix::a, block_at(plan, node.place).chunks[node.place.chunk].a, n);
    if (!plan.operands.b.made()) edges.use(Matrix::b, b_tiles.of(node.place, n), n);
  }
}

}  // namespace foretile
