#include <algorithm>
#include <optional>
#include <tuple>

#include "planner/graph/parts.hpp"
#include "planner/products.hpp"

namespace foretile {

namespace {

/// A tile that a message brings to the rank at hand.
struct Arrival {
  TileRef tile;
  int step;
  int last_step;
  std::size_t message;  ///< node
};

auto key(TileRef tile, int step) {
  return std::tuple(tile.matrix, tile.id, step);
}

/// Finds the message that brings a tile to a rank for a step.
class Arrivals {
 public:
  void add(const Arrival& arrival) { arrivals_.push_back(arrival); }
  void sort() {
    std::sort(arrivals_.begin(), arrivals_.end(),
              [](const Arrival& l, const Arrival& r) { return key(l.tile, l.step) < key(r.tile, r.step); });
  }
  /// Appends the node to `sources` if there is one.
  void find(TileRef tile, int step, std::vector<std::size_t>& sources) const {
    auto after = std::upper_bound(
        arrivals_.begin(), arrivals_.end(), key(tile, step),
        [](const auto& wanted, const Arrival& arrival) { return wanted < key(arrival.tile, arrival.step); });
    if (after == arrivals_.begin()) return;
    const Arrival& found = *std::prev(after);
    if (found.tile == tile && found.last_step >= step) sources.push_back(found.message);
  }
  bool empty() const { return arrivals_.empty(); }

 private:
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
Arrivals arrivals_of(const Plan& plan, const std::vector<Sent>& sent) {
  Arrivals arrivals;
  for (const auto& [message, node] : sent) {
    const int step = plan.barriers == Barriers::none ? 0 : message->step;
    for (const TileId id : message->tiles)
      arrivals.add({{message->matrix, id}, step, message->last_step, node});
  }
  arrivals.sort();
  return arrivals;
}

/// Walks chunks in node order, so that each block is enumerated once.
class Uses {
 public:
  Uses(const Plan& plan, const Contraction& p) : plan_(plan), p_(p), b_seen_(p.b.nonzeros(), kNone) {}

  /// Nodes of the messages that bring what the chunk uses, each once.
  std::vector<std::size_t> sources(const PlanNode& node, std::size_t number, const Arrivals& arrivals) {
    const Block& block = block_at(plan_, node.place);
    const bool stream = plan_.b_tiles == BTiles::stream;
    if (stream && node.place.chunk == 0) products_.emplace(p_, block.columns);
    const int step = plan_.barriers == Barriers::none ? 0 : node.step;
    std::vector<std::size_t> found;
    for (const TileId a : block.chunks[node.place.chunk].a) {
      arrivals.find({Matrix::a, a}, step, found);
      if (!stream) continue;
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
  Arrivals arrivals;
  int rank = -1;
  for (std::size_t n = 0; n < blocks_end; ++n) {
    const PlanNode node = parts.nodes[n];
    if (node.kind != NodeKind::chunk) continue;
    if (node.place.rank != rank) {
      rank = node.place.rank;
      arrivals = arrivals_of(plan, sent[rank]);
    }
    if (arrivals.empty()) continue;
    for (const std::size_t source : uses.sources(node, n, arrivals))
      parts.add_edge(source, n, EdgeKind::data);
  }
}

}  // namespace foretile
