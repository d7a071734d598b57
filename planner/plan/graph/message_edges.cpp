// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/graph/message_edges.hpp"

#include <optional>

#include "planner/plan/graph/parts.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

constexpr auto kNone = static_cast<std::size_t>(-1);

}  // namespace

MessageEdges::MessageEdges(const Plan& plan, const Contraction& contraction, GraphParts& parts)
    : plan_(plan), parts_(parts), to_rank_(plan.ranks.size()) {
  newest(Matrix::a).assign(contraction.a.nonzeros(), -1);
  newest(Matrix::b).assign(contraction.b.nonzeros(), -1);
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    const auto& broadcasts = plan.ranks[r].transfers;
    for (std::size_t n = 0; n < broadcasts.size(); ++n) {
      for (const int to : broadcasts[n].others) to_rank_[to].push_back({&broadcasts[n], parts.nodes.size()});
      parts.nodes.push_back(
          {NodeKind::broadcast, {Rank::of(r), 0, 0, static_cast<int>(n)}, broadcasts[n].step});
    }
  }
}

void MessageEdges::open(Rank rank) {
  for (const Arrival& arrival : arrivals_) newest(arrival.tile.matrix)[arrival.tile.id] = -1;
  arrivals_.clear();
  rank_ = rank;
  const std::vector<Sent>& sent = to_rank_[rank];
  used_by_.assign(sent.size(), kNone);
  for (std::size_t n = 0; n < sent.size(); ++n) {
    const Transfer& message = *sent[n].message;
    for (const TileId id : message.tiles) {
      std::int32_t& last = newest(message.matrix)[id];
      const Step step = plan_.barriers == Barriers::none ? Step() : message.step;
      arrivals_.push_back({step, message.last_step, n, last, {message.matrix, id}});
      last = static_cast<std::int32_t>(arrivals_.size()) - 1;
    }
  }
}

void MessageEdges::use(Matrix matrix, const std::vector<TileId>& tiles, std::size_t chunk) {
  const Step step = plan_.barriers == Barriers::none ? Step() : parts_.nodes[chunk].step;
  for (const TileId tile : tiles) use({matrix, tile}, step, chunk);
}

/// A chunk waits for a message of a later step too, if none brings the tile before.
void MessageEdges::use(TileRef tile, Step step, std::size_t chunk) {
  const Arrival* found = nullptr;
  for (std::int32_t n = newest(tile.matrix)[tile.id]; n >= 0; n = arrivals_[n].next) {
    if (arrivals_[n].last_step < step) continue;
    found = &arrivals_[n];
    if (found->step <= step) break;
  }
  if (!found) return;
  std::size_t& used_by = used_by_[found->sent];
  if (used_by != chunk) parts_.add_edge(to_rank_[rank_][found->sent].node, chunk, EdgeKind::data);
  used_by = chunk;
}

namespace {

/// Tiles of B that chunks use, each once; chunks in node order, so that each block is enumerated once.
class TilesOfB {
 public:
  TilesOfB(const Plan& plan, const Contraction& p) : plan_(plan), p_(p), seen_(p.b.nonzeros(), kNone) {}

  const std::vector<TileId>& of(const ChunkPlace& place, std::size_t number) {
    const Block& block = block_at(plan_, place);
    if (place.chunk == 0) products_.emplace(p_, block.columns);
    found_.clear();
    for_each_product(*products_, block.chunks[place.chunk], [&](const Product& product) {
      if (seen_[product.b] == number) return;
      seen_[product.b] = number;
      found_.push_back(product.b);
    });
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
  Rank rank = -1;
  for (std::size_t n = 0; n < blocks_end; ++n) {
    const PlanNode node = parts.nodes[n];
    if (node.kind != NodeKind::chunk) continue;
    if (node.place.rank != rank) {
      rank = node.place.rank;
      edges.open(rank);
    }
    if (edges.none()) continue;
    edges.use(Matrix::a, block_at(plan, node.place).chunks[node.place.chunk].a, n);
    if (!plan.operands.b.generated()) edges.use(Matrix::b, b_tiles.of(node.place, n), n);
  }
}

}  // namespace foretile
