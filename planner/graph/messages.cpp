#include <algorithm>
#include <array>
#include <optional>

#include "planner/graph/parts.hpp"
#include "planner/products.hpp"

namespace foretile {

namespace {

/// Finds the message that brings a tile to a rank for a step; for one rank after the other.
class Arrivals {
 public:
  explicit Arrivals(const Contraction& p)
      : first_{std::vector<std::int32_t>(p.a.nonzeros(), -1), std::vector<std::int32_t>(p.b.nonzeros(), -1)} {
  }

  void clear() {
    for (const Arrival& arrival : arrivals_) first(arrival.tile) = -1;
    arrivals_.clear();
  }
  void add(TileRef tile, int step, int last_step, std::size_t node) {
    std::int32_t& newest = first(tile);
    arrivals_.push_back({tile, step, last_step, node, newest});
    newest = static_cast<std::int32_t>(arrivals_.size()) - 1;
  }
  /// Appends the node to `sources` if there is one.
  void find(TileRef tile, int step, std::vector<std::size_t>& sources) {
    for (std::int32_t n = first(tile); n >= 0; n = arrivals_[n].next) {
      if (arrivals_[n].step > step || arrivals_[n].last_step < step) continue;
      sources.push_back(arrivals_[n].node);
      return;
    }
  }
  bool empty() const { return arrivals_.empty(); }

 private:
  struct Arrival {
    TileRef tile;
    int step;
    int last_step;
    std::size_t node;
    std::int32_t next;  ///< with the same tile
  };

  std::int32_t& first(TileRef tile) { return first_[tile.matrix == Matrix::a ? 0 : 1][tile.id]; }

  std::array<std::vector<std::int32_t>, 2> first_;  // per tile of A and B, into arrivals_; -1: none
  std::vector<Arrival> arrivals_;
};

/// A message and its node.
struct Sent {
  const Broadcast* message;
  std::size_t node;
};

std::vector<std::vector<Sent>> add_message_nodes(const Plan& plan, GraphParts& parts) {
  std::vector<std::vector<Sent>> to_rank(plan.ranks.size());
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    const auto& broadcasts = plan.ranks[r].broadcasts;
    for (std::size_t n = 0; n < broadcasts.size(); ++n) {
      for (const int to : broadcasts[n].destinations)
        to_rank[to].push_back({&broadcasts[n], parts.nodes.size()});
      parts.nodes.push_back(
          {NodeKind::broadcast, {static_cast<int>(r), 0, 0, static_cast<int>(n)}, broadcasts[n].step});
    }
  }
  return to_rank;
}

/// Without barriers steps say nothing: whatever arrives, arrives for all chunks.
void fill(const Plan& plan, const std::vector<Sent>& sent, Arrivals& arrivals) {
  arrivals.clear();
  for (const auto& [message, node] : sent) {
    const int step = plan.barriers == Barriers::none ? 0 : message->step;
    for (const TileId id : message->tiles)
      arrivals.add({message->matrix, id}, step, message->last_step, node);
  }
}

/// Walks chunks in node order, so that each block is enumerated once.
class Uses {
 public:
  Uses(const Plan& plan, const Contraction& p) : plan_(plan), p_(p), b_seen_(p.b.nonzeros(), kNone) {}

  /// Nodes of the messages that bring what the chunk uses, each once.
  std::vector<std::size_t> sources(const PlanNode& node, std::size_t number, Arrivals& arrivals) {
    const Block& block = block_at(plan_, node.place);
    const bool sent = !plan_.operands.b.made();
    if (sent && node.place.chunk == 0) products_.emplace(p_, block.columns);
    const int step = plan_.barriers == Barriers::none ? 0 : node.step;
    std::vector<std::size_t> found;
    for (const TileId a : block.chunks[node.place.chunk].a) {
      arrivals.find({Matrix::a, a}, step, found);
      if (!sent) continue;
      products_->for_each(a, [&](const Product& product) {
        if (b_seen_[product.b] == number) return;
        b_seen_[product.b] = number;
        arrivals.find({Matrix::b, product.b}, step, found);
      });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  static constexpr auto kNone = static_cast<std::size_t>(-1);
  const Plan& plan_;
  const Contraction& p_;
  std::optional<BlockProducts> products_;  // of the block at hand
  std::vector<std::size_t> b_seen_;        // last chunk that used the tile
};

}  // namespace

void add_messages(const Plan& plan, const Contraction& contraction, GraphParts& parts) {
  const std::size_t blocks_end = parts.nodes.size();
  const std::vector<std::vector<Sent>> sent = add_message_nodes(plan, parts);
  Uses uses(plan, contraction);
  Arrivals arrivals(contraction);
  int rank = -1;
  for (std::size_t n = 0; n < blocks_end; ++n) {
    const PlanNode node = parts.nodes[n];
    if (node.kind != NodeKind::chunk) continue;
    if (node.place.rank != rank) {
      rank = node.place.rank;
      fill(plan, sent[rank], arrivals);
    }
    if (arrivals.empty()) continue;
    for (const std::size_t source : uses.sources(node, n, arrivals))
      parts.add_edge(source, n, EdgeKind::data);
  }
}

}  // namespace foretile
