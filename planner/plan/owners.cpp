// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/owners.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// A tile on its way to the ranks that use it from `step` to `last_step`.
struct Delivery {
  Step step;
  Step last_step;
  int group;  // with Sending::once_each
  std::int32_t turn;
  Matrix matrix;
  TileId tile;
  std::vector<Rank> destinations;

  auto order() const { return std::tuple(step, group, turn, matrix); }
  bool shares_message(const Transfer& b) const {
    return b.matrix == matrix && b.step == step && b.last_step == last_step && b.others == destinations;
  }
};

/// The deliveries of one matrix by one rank.
class MatrixDeliveries {
 public:
  MatrixDeliveries(const Contraction& p, const ProcessGrid& grid, Rank rank, const Routes& routes,
                   Sending sending, int lookahead)
      : p_(p),
        grid_(grid),
        rank_(rank),
        routes_(routes),
        sending_(sending),
        lookahead_(lookahead),
        along_(travels_along(routes.matrix)),
        positions_(grid.ranks_along(along_)),
        own_position_(grid.position(rank, along_)),
        ring_(grid.node ? grid.ring_from(along_, own_position_) : wrapped(own_position_, positions_)) {
    const int groups =
        routes.group.empty() ? 1 : 1 + *std::max_element(routes.group.begin(), routes.group.end());
    marked_.resize(static_cast<std::size_t>(groups) * positions_, 0);
  }

  /// By increasing k, so that tiles with the same partners follow each other.
  void append_to(std::vector<Delivery>& list) {
    if (positions_ == 1) return;
    for_each_cyclically_owned(p_, grid_, routes_.matrix, rank_,
                              [&](TileId tile, std::int32_t k) { deliver(tile, k, list); });
  }

 private:
  static std::vector<int> wrapped(int first, int positions) {
    std::vector<int> order;
    for (int behind = 0; behind < positions; ++behind) order.push_back((first + behind) % positions);
    return order;
  }

  void deliver(TileId tile, std::int32_t k, std::vector<Delivery>& list) {
    find_uses(tile, k);
    if (sending_ == Sending::once_each) {
      deliver_each(tile, k, list);
      return;
    }
    const Step first = routes_.first ? routes_.first(tile) : Step();
    for (std::size_t begin = 0; begin < uses_.size();) {
      std::size_t end = begin + 1;
      while (end < uses_.size() && together(uses_[end - 1], uses_[end])) ++end;
      std::vector<Rank> destinations = destinations_of(begin, end);
      if (!destinations.empty()) {
        list.push_back({Step::of(first + group_of(uses_[begin]) * routes_.stride),
                        sending_ == Sending::once_for_ever
                            ? kEver
                            : Step::of(first + group_of(uses_[end - 1]) * routes_.stride),
                        0, turn(tile, k), routes_.matrix, tile, std::move(destinations)});
      }
      begin = end;
    }
  }

  /// To each rank in the group of its first use.
  void deliver_each(TileId tile, std::int32_t k, std::vector<Delivery>& list) {
    find_uses(tile, k);
    served_.assign(positions_, 0);
    for (std::size_t begin = 0; begin < uses_.size();) {
      std::size_t end = begin;
      for (; end < uses_.size() && group_of(uses_[end]) == group_of(uses_[begin]); ++end) {
        char& served = served_[uses_[end] % positions_];
        marked_[uses_[end] % positions_] = served ? 0 : 1;
        served = 1;
      }
      std::vector<Rank> destinations = marked_ranks();
      if (!destinations.empty()) {
        list.push_back({Step(), kEver, group_of(uses_[begin]), turn(tile, k), routes_.matrix, tile,
                        std::move(destinations)});
      }
      begin = end;
    }
  }

  std::int32_t turn(TileId tile, std::int32_t k) const {
    return routes_.turn.empty() ? k : routes_.turn[tile];
  }

  /// Sets uses_ to the other ranks and the groups with a product: one merge of the partners that the other
  /// operand has at k with those that C has.
  void find_uses(TileId tile, std::int32_t k) {
    const Shape& shape = shape_of(p_, routes_.matrix);
    const bool of_a = routes_.matrix == Matrix::a;
    const auto other = of_a ? p_.b.row(k) : p_.a.column(k);
    const auto in_c = of_a ? p_.c.row(shape.row_of(tile)) : p_.c.column(shape.column_of(tile));
    const bool c_full = in_c.size() == routes_.position.size();
    if (c_full && known_for_ == k) return;
    known_for_ = c_full ? k : -1;
    uses_.clear();
    auto c = in_c.begin();
    for (const std::int32_t partner : other) {
      if (!c_full) {
        while (c != in_c.end() && *c < partner) ++c;
        if (c == in_c.end()) break;
        if (*c != partner) continue;
      }
      if (routes_.position[partner] == own_position_) continue;
      const int use =
          (routes_.group.empty() ? 0 : routes_.group[partner]) * positions_ + routes_.position[partner];
      if (!std::exchange(marked_[use], 1)) uses_.push_back(use);
    }
    for (const int use : uses_) marked_[use] = 0;
    std::sort(uses_.begin(), uses_.end());
  }

  int group_of(int use) const { return use / positions_; }

  /// Whether a delivery for the one use serves the next one too.
  bool together(int use, int next) const {
    return sending_ != Sending::per_use ||
           std::int64_t{group_of(next) - group_of(use)} * routes_.stride <= lookahead_;
  }

  std::vector<Rank> destinations_of(std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) marked_[uses_[u] % positions_] = 1;
    return marked_ranks();
  }

  /// The ranks at marked positions, whose marks are taken away.
  std::vector<Rank> marked_ranks() {
    std::vector<Rank> destinations;
    for (const int position : ring_) {
      if (marked_[position]) destinations.push_back(grid_.moved(rank_, along_, position));
    }
    std::fill_n(marked_.begin(), positions_, 0);
    return destinations;
  }

  const Contraction& p_;
  ProcessGrid grid_;
  Rank rank_;
  const Routes& routes_;
  Sending sending_;
  int lookahead_;
  Axis along_;
  int positions_;
  int own_position_;
  std::vector<int> ring_;        // all positions, the own one first, which is never marked
  std::vector<int> uses_;        // group * positions_ + position, increasing
  std::vector<char> marked_;     // per use; all 0 between calls
  std::vector<char> served_;     // per position
  std::int32_t known_for_ = -1;  // the k whose partners uses_ holds, where C restricts nothing
};

}  // namespace

std::vector<Transfer> broadcasts_of(const Contraction& p, const ProcessGrid& grid, Rank rank,
                                    const std::vector<Routes>& routes, Sending sending, int lookahead,
                                    std::int64_t message_bytes) {
  std::vector<Delivery> deliveries;
  for (const Routes& of_matrix : routes) {
    MatrixDeliveries(p, grid, rank, of_matrix, sending, lookahead).append_to(deliveries);
  }
  std::stable_sort(deliveries.begin(), deliveries.end(),
                   [](const Delivery& l, const Delivery& r) { return l.order() < r.order(); });
  std::vector<Transfer> broadcasts;
  std::int64_t filled = 0;
  for (Delivery& d : deliveries) {
    const std::int64_t bytes = bytes_of(p, {d.matrix, d.tile});
    if (broadcasts.empty() || !d.shares_message(broadcasts.back()) || filled + bytes > message_bytes) {
      broadcasts.push_back({{}, std::move(d.destinations), d.matrix, d.step, d.last_step});
      filled = 0;
    }
    broadcasts.back().tiles.push_back(d.tile);
    filled += bytes;
  }
  return broadcasts;
}

std::vector<Rank> owners_of_c(const Contraction& p, const Plan& plan) {
  std::vector<Rank> owners = plan.operands.c.distribution.owners;
  for (TileId tile = std::ssize(owners); tile < p.c.nonzeros(); ++tile)
    owners.push_back(Rank::of(static_cast<int>(tile % plan.grid.size())));
  for (int rank = 0; rank < plan.grid.size(); ++rank) {
    const RankPlan& part = plan.ranks[static_cast<std::size_t>(rank)];
    for (const Sum& sum : part.sums) {
      for (const TileId tile : sum.tiles) {
        if (!sum.to) owners[static_cast<std::size_t>(tile)] = Rank::of(rank);
      }
    }
    if (plan.partial_sums) continue;
    for (const DevicePlan& device : part.devices) {
      for_each_product(p, device,
                       [&](const Product& x) { owners[static_cast<std::size_t>(x.c)] = Rank::of(rank); });
    }
  }
  return owners;
}

std::vector<bool> stored_once(std::size_t tiles, const Plan& plan) {
  std::vector<bool> once(tiles, false);
  for (const RankPlan& rank : plan.ranks) {
    for (const Sum& sum : rank.sums) {
      if (sum.to || sum.devices.size() != 1 || !sum.from.empty()) continue;
      for (const TileId tile : sum.tiles) once[static_cast<std::size_t>(tile)] = true;
    }
  }
  return once;
}

}  // namespace foretile
