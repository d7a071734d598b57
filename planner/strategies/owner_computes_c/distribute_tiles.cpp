// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_computes_c/distribute_tiles.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// Sets that are joined, each named by one of its members.
class Joined {
 public:
  explicit Joined(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void join(std::size_t x, std::size_t y) { parent_[of(x)] = of(y); }

 private:
  std::vector<std::size_t> parent_;
};

/// Tile rows and columns that tiles of C connect.
struct Part {
  std::vector<std::int32_t> rows, columns;
  double work = 0;
};

std::vector<Part> parts_of(const Contraction& p, const std::vector<double>& work) {
  const auto rows = static_cast<std::size_t>(p.m.tiles());
  Joined joined(rows + static_cast<std::size_t>(p.n.tiles()));
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile)
    joined.join(static_cast<std::size_t>(p.c.row_of(tile)),
                rows + static_cast<std::size_t>(p.c.column_of(tile)));
  std::map<std::size_t, Part> parts;
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    if (p.c.row(i).empty()) continue;
    Part& part = parts[joined.of(static_cast<std::size_t>(i))];
    part.rows.push_back(i);
    for (std::size_t e = 0; e < p.c.row(i).size(); ++e)
      part.work += work[static_cast<std::size_t>(p.c.first(i)) + e];
  }
  for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
    if (!p.c.column(j).empty()) parts[joined.of(rows + static_cast<std::size_t>(j))].columns.push_back(j);
  }
  std::vector<Part> list;
  for (auto& [name, part] : parts) list.push_back(std::move(part));
  std::ranges::stable_sort(list, std::ranges::greater{}, &Part::work);
  return list;
}

struct Places {
  int p = 1, q = 1;
  double bytes = 0;  // of A and B that are sent to them
};

/// Of each number of rows p the most columns q: so many of either as the part has, and of both as ranks.
template <class Visit>
void for_each_grid(const Part& part, int ranks, const Visit& visit) {
  const auto rows = std::ssize(part.rows), columns = std::ssize(part.columns);
  for (int p = 1; p <= std::min<std::ptrdiff_t>(ranks, rows); ++p)
    visit(p, static_cast<int>(std::min<std::ptrdiff_t>(ranks / p, columns)));
}

/// Each tile of a row of A goes to q ranks, of a column of B to p.
Places places_for(const Contraction& p, const Part& part, int ranks) {
  double a_bytes = 0, b_bytes = 0;
  for (const std::int32_t i : part.rows) {
    for (std::size_t e = 0; e < p.a.row(i).size(); ++e)
      a_bytes += static_cast<double>(p.a_bytes(p.a.first(i) + static_cast<TileId>(e)));
  }
  for (const std::int32_t j : part.columns) {
    for (const TileId tile : p.b.column_ids(j)) b_bytes += static_cast<double>(p.b_bytes(tile));
  }
  constexpr double kEnough = 0.95;  // of the most places that a grid can have
  int most = 1;
  for_each_grid(part, ranks,
                [&](int of_rows, int of_columns) { most = std::max(most, of_rows * of_columns); });
  Places best;
  double least = -1;
  for_each_grid(part, ranks, [&](int of_rows, int of_columns) {
    if (of_rows * of_columns < kEnough * most) return;
    const double bytes = of_columns * a_bytes + of_rows * b_bytes;
    if (least < 0 || bytes < least) least = bytes, best = {of_rows, of_columns, bytes};
  });
  return best;
}

/// Neighbours in order go to different owners, back and forth.
template <class Key>
std::map<std::int32_t, int> round_robin_owners(std::vector<std::int32_t> lines, int owners, const Key& key) {
  std::ranges::stable_sort(lines, {}, key);
  std::map<std::int32_t, int> owner;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto round = static_cast<int>(n) / owners, place = static_cast<int>(n) % owners;
    owner[lines[n]] = round % 2 == 0 ? place : owners - 1 - place;
  }
  return owner;
}

/// Each owner has a run of lines, with about the same work.
std::map<std::int32_t, int> owners_of_runs(const std::vector<std::int32_t>& lines, int owners,
                                           const std::vector<double>& work) {
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  std::map<std::int32_t, int> owner;
  double before = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const double share = all > 0 ? (before + work[n] / 2) / all
                                 : (static_cast<double>(n) + 0.5) / static_cast<double>(lines.size());
    owner[lines[n]] = std::min(static_cast<int>(share * owners), owners - 1);
    before += work[n];
  }
  return owner;
}

class TileDistribution {
 public:
  TileDistribution(const Contraction& p, const std::vector<double>& work, std::vector<double> load,
                   const PlanContext& context)
      : p_(p),
        work_(work),
        context_(context),
        load_(std::move(load)),
        owner_(static_cast<std::size_t>(p.c.nonzeros()), 0) {}

  std::vector<Rank> distributed() {
    for (TileId tile = 0; tile < p_.c.nonzeros(); ++tile) {
      if (is_fixed(tile)) give(tile, *context_.c_owners[static_cast<std::size_t>(tile)]);
    }
    for (const Part& part : parts_of(p_, work_)) {
      if (!is_fixed(p_.c.first(part.rows.front()))) distribute(part);
    }
    level();
    return std::move(owner_);
  }

 private:
  /// All tiles of a part are, or none is.
  bool is_fixed(TileId tile) const {
    return !context_.c_owners.empty() && context_.c_owners[static_cast<std::size_t>(tile)];
  }

  void give(TileId tile, Rank rank) {
    owner_[static_cast<std::size_t>(tile)] = rank;
    load_[static_cast<std::size_t>(int{rank})] += work_[static_cast<std::size_t>(tile)];
  }

  void distribute(const Part& part) {
    const Places places = places_for(p_, part, ranks_for(part));
    const auto of_row = row_owners(part, places.p);
    const auto of_column = column_owners(part, places.q);
    std::vector<double> work(static_cast<std::size_t>(places.p * places.q), 0);
    const auto place_of = [&](TileId tile) {
      return static_cast<std::size_t>(of_row.at(p_.c.row_of(tile)) * places.q +
                                      of_column.at(p_.c.column_of(tile)));
    };
    for_each_tile(part, [&](TileId tile) { work[place_of(tile)] += work_[static_cast<std::size_t>(tile)]; });
    const std::vector<Rank> rank_of = heaviest_to_emptiest(work, places_of_set(part));
    std::vector<TileId> tiles;
    for_each_tile(part, [&](TileId tile) {
      owner_[static_cast<std::size_t>(tile)] = rank_of[place_of(tile)];
      tiles.push_back(tile);
    });
    if (share_of(part.rows.front()).parts == 1) return;
    std::vector<std::size_t> ranks;
    for (const Rank rank : rank_of) ranks.push_back(static_cast<std::size_t>(int{rank}));
    shared_.emplace_back(std::move(tiles), std::move(ranks));
  }

  /// Where few tiles of C are missing: else places would have very different work.
  bool takes_runs(const Part& part) const {
    constexpr double kDense = 0.9;
    std::size_t tiles = 0;
    for (const std::int32_t i : part.rows) tiles += p_.c.row(i).size();
    return context_.neighbours &&
           static_cast<double>(tiles) >= kDense * static_cast<double>(part.rows.size() * part.columns.size());
  }

  std::map<std::int32_t, int> row_owners(const Part& part, int owners) const {
    if (!takes_runs(part))
      return round_robin_owners(part.rows, owners, [&](std::int32_t i) {
        return std::tuple(p_.c.row(i).size(), p_.c.row(i).front(), p_.m.size(i));
      });
    std::vector<double> work;
    for (const std::int32_t i : part.rows) {
      const auto first = work_.begin() + p_.c.first(i);
      work.push_back(std::accumulate(first, first + std::ssize(p_.c.row(i)), 0.0));
    }
    return owners_of_runs(part.rows, owners, work);
  }

  std::map<std::int32_t, int> column_owners(const Part& part, int owners) const {
    if (!takes_runs(part))
      return round_robin_owners(part.columns, owners, [&](std::int32_t j) {
        return std::tuple(p_.c.column(j).size(), p_.c.column(j).front(), p_.n.size(j));
      });
    std::vector<double> work;
    for (const std::int32_t j : part.columns) {
      double sum = 0;
      for (const TileId tile : p_.c.column_ids(j)) sum += work_[static_cast<std::size_t>(tile)];
      work.push_back(sum);
    }
    return owners_of_runs(part.columns, owners, work);
  }

  RankShare share_of(std::int32_t row) const {
    return context_.shares.empty() ? RankShare() : context_.shares[static_cast<std::size_t>(row)];
  }

  int ranks_for(const Part& part) const {
    return std::max(static_cast<int>(load_.size()) / share_of(part.rows.front()).parts, 1);
  }

  /// By rank: how many the parts have that share the ranks with this one.
  std::vector<int>& places_of_set(const Part& part) {
    const RankShare share = share_of(part.rows.front());
    std::vector<int>& places = places_[share.set];
    if (places.empty() || share.parts == 1) places.assign(load_.size(), 0);
    return places;
  }

  template <class Visit>
  void for_each_tile(const Part& part, const Visit& visit) const {
    for (const std::int32_t i : part.rows) {
      for (std::size_t e = 0; e < p_.c.row(i).size(); ++e) visit(p_.c.first(i) + static_cast<TileId>(e));
    }
  }

  /// Ranks that have fewest of the places come first.
  std::vector<Rank> heaviest_to_emptiest(const std::vector<double>& work, std::vector<int>& had) {
    std::vector<std::size_t> places(work.size()), ranks(load_.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    std::ranges::stable_sort(places, std::ranges::greater{}, [&](std::size_t place) { return work[place]; });
    std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return std::pair(had[rank], load_[rank]); });
    std::vector<Rank> rank_of(work.size());
    for (std::size_t n = 0; n < places.size(); ++n) {
      rank_of[places[n]] = Rank::of(ranks[n]);
      load_[ranks[n]] += work[places[n]];
      ++had[ranks[n]];
    }
    return rank_of;
  }

  /// Parts that share the ranks stay apart, since their tiles need A and B of their own: near tiles stay
  /// among the ranks of their part, others do not go to a rank that has more of the same set.
  void level() {
    if (context_.neighbours) {
      for (const auto& [tiles, ranks] : shared_) level(tiles, ranks);
    }
    std::vector<TileId> others;
    for (TileId tile = 0; tile < p_.c.nonzeros(); ++tile) {
      const bool shares = share_of(p_.c.row_of(tile)).parts > 1;
      if (!is_fixed(tile) && !(shares && context_.neighbours)) others.push_back(tile);
    }
    std::vector<std::size_t> all(load_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    level(others, all);
  }

  /// Tiles that ranks have, in the order of their numbers, and how many of each RankShare::set.
  struct Had {
    std::map<std::size_t, std::vector<TileId>> tiles;
    std::map<int, std::map<std::size_t, int>> of_sets;
  };

  Had had(const std::vector<TileId>& movable) {
    Had all;
    for (const TileId tile : movable) {
      const auto owner = static_cast<std::size_t>(int{owner_[static_cast<std::size_t>(tile)]});
      all.tiles[owner].push_back(tile);
      ++all.of_sets[share_of(p_.c.row_of(tile)).set][owner];
    }
    return all;
  }

  void level(const std::vector<TileId>& movable, const std::vector<std::size_t>& among) {
    constexpr double kClose = 0.05;
    const auto load_of = [&](std::size_t rank) { return load_[rank]; };
    double sum = 0;
    for (const std::size_t rank : among) sum += load_[rank];
    const double close =
        sum / static_cast<double>(among.size()) +
        kClose * std::accumulate(work_.begin(), work_.end(), 0.0) / static_cast<double>(load_.size());
    Had ranks = had(movable);
    const auto work_of = [&](TileId tile) { return work_[static_cast<std::size_t>(tile)]; };
    for (std::size_t moves = 0; moves < movable.size(); ++moves) {
      const std::size_t most = *std::ranges::max_element(among, {}, load_of);
      const std::size_t least = *std::ranges::min_element(among, {}, load_of);
      if (load_[most] <= close) return;
      const double half = (load_[most] - load_[least]) / 2;
      const auto may_move = [&](TileId tile) {
        const RankShare share = share_of(p_.c.row_of(tile));
        auto& of_set = ranks.of_sets[share.set];
        return context_.neighbours || share.parts == 1 || of_set[least] <= of_set[most];
      };
      std::vector<TileId>& from = ranks.tiles[most];
      auto best = from.end();
      for (auto at = from.begin(); at != from.end(); ++at) {
        if (work_of(*at) <= half && may_move(*at) && (best == from.end() || work_of(*at) > work_of(*best)))
          best = at;
      }
      if (best == from.end() || work_of(*best) <= 0) return;
      load_[most] -= work_of(*best);
      load_[least] += work_of(*best);
      owner_[static_cast<std::size_t>(*best)] = Rank::of(least);
      auto& of_set = ranks.of_sets[share_of(p_.c.row_of(*best)).set];
      --of_set[most];
      ++of_set[least];
      ranks.tiles[least].push_back(*best);
      from.erase(best);
    }
  }

  const Contraction& p_;
  const std::vector<double>& work_;
  const PlanContext& context_;
  std::vector<double> load_;                // by rank
  std::vector<Rank> owner_;                 // by tile
  std::map<int, std::vector<int>> places_;  // by RankShare::set and rank
  /// Tiles of parts that share the ranks, and the ranks of each part.
  std::vector<std::pair<std::vector<TileId>, std::vector<std::size_t>>> shared_;
};

}  // namespace

std::vector<double> work_of_tiles(const Contraction& p) {
  std::vector<double> work(static_cast<std::size_t>(p.c.nonzeros()), 0);
  std::vector<TileId> c_of(static_cast<std::size_t>(p.n.tiles()), -1);
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    const auto columns = p.c.row(i);
    for (std::size_t e = 0; e < columns.size(); ++e)
      c_of[static_cast<std::size_t>(columns[e])] = p.c.first(i) + static_cast<TileId>(e);
    for (const std::int32_t k : p.a.row(i)) {
      for (const std::int32_t j : p.b.row(k)) {
        const TileId c = c_of[static_cast<std::size_t>(j)];
        if (c >= 0) work[static_cast<std::size_t>(c)] += p.flops(i, j, k);
      }
    }
    for (const std::int32_t j : columns) c_of[static_cast<std::size_t>(j)] = -1;
  }
  return work;
}

double distributed_bytes(const Contraction& contraction, int ranks) {
  const std::vector<double> no_work(static_cast<std::size_t>(contraction.c.nonzeros()), 0);
  double bytes = 0;
  for (const Part& part : parts_of(contraction, no_work)) bytes += places_for(contraction, part, ranks).bytes;
  return bytes;
}

std::vector<Rank> distribute_tiles(const Contraction& contraction, const std::vector<double>& work,
                                   std::vector<double> load, const PlanContext& context) {
  return TileDistribution(contraction, work, std::move(load), context).distributed();
}

}  // namespace foretile
