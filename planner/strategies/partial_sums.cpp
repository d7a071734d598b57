// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/partial_sums.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "planner/plan/distribution.hpp"

namespace foretile {

namespace {

/// Of each layer of ranks and devices (Blocking::layers()): whether it has a part of a tile.
using PartSet = std::vector<bool>;

class Summer {
 public:
  Summer(const Contraction& p, const Blocking& blocking, Rank rank, const TreeOfRanks& tree,
         std::int64_t sum_bytes)
      : p_(p), blocking_(blocking), grid_(blocking.grid), rank_(rank), tree_(tree), sum_bytes_(sum_bytes) {
    if (knows_nodes(tree.tree)) tree_.tree = Tree::by_node;
    const bool dense = p.a.nonzeros() == TileId{p.m.tiles()} * p.k.tiles() &&
                       p.b.nonzeros() == TileId{p.k.tiles()} * p.n.tiles();
    if (!dense) return;
    all_.assign(static_cast<std::size_t>(blocking.layers()), false);
    std::fill_n(all_.begin(), std::min(blocking.layers(), p.k.tiles()), true);
  }

  std::vector<Sum> sums() {
    const auto blocks = [](std::int32_t tiles, int owners, std::int32_t size) {
      return most_owned(most_owned(tiles, owners), size);
    };
    const std::int32_t X = blocks(p_.m.tiles(), grid_.p, blocking_.b);
    const std::int32_t Y = blocks(p_.n.tiles(), grid_.q, blocking_.c);
    for (std::int32_t y = 0; y < Y; ++y) {
      for (std::int32_t x = 0; x < X; ++x) add_block(x, y);
    }
    return std::move(sums_);
  }

 private:
  /// Layer of the owner, device in each layer, parts: equal for tiles that can share a sum.
  using Key = std::tuple<int, int, PartSet>;
  struct Open {
    Sum sum;
    std::int64_t bytes = 0;
  };

  void add_block(std::int32_t x, std::int32_t y) {
    for (std::int32_t il = x * blocking_.b; il < (x + 1) * blocking_.b; ++il) {
      const std::int64_t i = grid_.row(rank_) + std::int64_t{il} * grid_.p;
      if (i >= p_.m.tiles()) break;
      add_row(static_cast<std::int32_t>(i), y);
    }
    for (auto& [key, open] : open_) sums_.push_back(std::move(open.sum));
    open_.clear();
  }

  /// Tiles of one row and block column.
  void add_row(std::int32_t i, std::int32_t y) {
    const auto columns = p_.c.row(i);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      const std::int32_t j = columns[e];
      if (j % grid_.q == grid_.column(rank_) && blocking_.y(j) == y)
        add_tile(p_.c.first(i) + static_cast<TileId>(e), i, j);
    }
  }

  void add_tile(TileId tile, std::int32_t i, std::int32_t j) {
    const int owner = grid_.layer(cyclic_owner(grid_, Matrix::c, i, j));
    const Key key(owner, device_in_layer(i, j), all_.empty() ? parts_of(i, j) : all_);
    auto open = open_.find(key);
    const std::int64_t bytes = p_.c_bytes(tile);
    if (open != open_.end() && open->second.bytes + bytes > sum_bytes_) {
      sums_.push_back(std::move(open->second.sum));
      open_.erase(open);
      open = open_.end();
    }
    if (open == open_.end()) {
      std::optional<Sum> sum = sum_for(owner, std::get<PartSet>(key), i, j);
      if (!sum) return;
      open = open_.emplace(key, Open{std::move(*sum), 0}).first;
    }
    open->second.sum.tiles.push_back(tile);
    open->second.bytes += bytes;
  }

  PartSet parts_of(std::int32_t i, std::int32_t j) const {
    PartSet parts(static_cast<std::size_t>(blocking_.layers()), false);
    const auto of_b = p_.b.column(j);
    auto b = of_b.begin();
    for (const std::int32_t k : p_.a.row(i)) {
      while (b != of_b.end() && *b < k) ++b;
      if (b == of_b.end()) break;
      if (*b == k) parts[static_cast<std::size_t>(k % blocking_.layers())] = true;
    }
    return parts;
  }

  bool part_of(const PartSet& parts, int of_device, int layer) const {
    const int of_both = of_device * grid_.r + layer;
    return parts[static_cast<std::size_t>(of_both)];
  }

  bool any_on(const PartSet& parts, int layer) const {
    for (int of_device = 0; of_device < blocking_.device_layers; ++of_device) {
      if (part_of(parts, of_device, layer)) return true;
    }
    return false;
  }

  /// Without tiles; nothing where this rank is not in the tree.
  std::optional<Sum> sum_for(int owner, const PartSet& parts, std::int32_t i, std::int32_t j) const {
    std::vector<int> members;
    for (const int layer : grid_.ring_from(Axis::r, owner)) {
      if (layer == owner || any_on(parts, layer)) members.push_back(layer);
    }
    if (by_node()) gather_nodes(members);
    const int own = grid_.layer(rank_);
    const auto found = std::find(members.begin(), members.end(), own);
    if (found == members.end() || (members.size() == 1 && !any_on(parts, own))) return std::nullopt;
    const int position = static_cast<int>(found - members.begin());
    const auto rank_of = [&](int member) { return in_layer(members[static_cast<std::size_t>(member)]); };
    Sum sum;
    sum.devices = devices_of(parts, i, j);
    const auto size = static_cast<int>(members.size());
    const std::vector<int> starts = by_node() ? starts_of(members) : std::vector<int>{};
    const auto children = by_node() ? children_by_node(tree_.tree, starts, position, size)
                                    : tree_children(tree_.tree, position, size);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      sum.from.push_back(rank_of(*child));
    if (position == 0) return sum;
    sum.to =
        rank_of(by_node() ? parent_by_node(tree_.tree, starts, position) : tree_parent(tree_.tree, position));
    return sum;
  }

  bool by_node() const { return tree_.tree == Tree::by_node; }

  Rank in_layer(int layer) const { return grid_.moved(rank_, Axis::r, layer); }

  /// In natural order ring_from() can leave a node and return: a node may then cut a layer.
  void gather_nodes(std::vector<int>& layers) const {
    std::map<int, std::size_t> turns;
    const auto turn = [&](int layer) {
      return turns.try_emplace(in_layer(layer) / tree_.ranks_of_node, turns.size()).first->second;
    };
    for (const int layer : layers) turn(layer);
    std::ranges::stable_sort(layers, {}, turn);
  }

  std::vector<int> starts_of(const std::vector<int>& layers) const {
    std::vector<Rank> ranks;
    ranks.reserve(layers.size());
    for (const int layer : layers) ranks.push_back(in_layer(layer));
    return node_starts(ranks, tree_.ranks_of_node);
  }

  int device_in_layer(std::int32_t i, std::int32_t j) const {
    return blocking_.device_row(i) * blocking_.device_columns() + blocking_.device_column(j);
  }

  std::vector<Device> devices_of(const PartSet& parts, std::int32_t i, std::int32_t j) const {
    std::vector<Device> devices;
    for (int of_device = 0; of_device < blocking_.device_layers; ++of_device) {
      if (part_of(parts, of_device, grid_.layer(rank_)))
        devices.push_back(Device::of(of_device * blocking_.device_rows * blocking_.device_columns() +
                                     device_in_layer(i, j)));
    }
    return devices;
  }

  const Contraction& p_;
  const Blocking& blocking_;
  const ProcessGrid& grid_;
  Rank rank_;
  TreeOfRanks tree_;
  std::int64_t sum_bytes_;
  PartSet all_;  // of every tile, where A and B are dense; else empty
  std::map<Key, Open> open_;
  std::vector<Sum> sums_;
};

}  // namespace

std::vector<Sum> sums_of(const Contraction& contraction, const Blocking& blocking, Rank rank,
                         const TreeOfRanks& tree, std::int64_t sum_bytes) {
  return Summer(contraction, blocking, rank, tree, sum_bytes).sums();
}

}  // namespace foretile
