// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/pair_fusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace foretile {

std::vector<PairTile> all_pairs(const std::vector<std::int64_t>& sizes) {
  std::vector<PairTile> tiles;
  tiles.reserve(sizes.size() * sizes.size());
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    for (std::size_t q = 0; q < sizes.size(); ++q) {
      tiles.push_back({static_cast<std::int32_t>(p), static_cast<std::int32_t>(q), sizes[p] * sizes[q]});
    }
  }
  return tiles;
}

std::vector<PairTile> pairs_within(const ClusteredCentres& orbitals, double cutoff) {
  std::vector<PairTile> tiles;
  const auto count = static_cast<std::int32_t>(orbitals.clusters.size());
  for (std::int32_t p = 0; p < count; ++p) {
    for (std::int32_t q = 0; q < count; ++q) {
      std::int64_t kept = 0;
      for (const std::int32_t i : orbitals.clusters[p]) {
        for (const std::int32_t j : orbitals.clusters[q]) {
          kept += distance(orbitals.centres[i], orbitals.centres[j]) <= cutoff ? 1 : 0;
        }
      }
      if (kept > 0) tiles.push_back({p, q, kept});
    }
  }
  return tiles;
}

namespace {

/// The neighbour of tile `t` to join it to, or `t` when it has none.
std::size_t smaller_neighbour(const std::vector<PairTile>& tiles, std::size_t t) {
  const bool before = t > 0 && tiles[t - 1].first == tiles[t].first;
  const bool after = t + 1 < tiles.size() && tiles[t + 1].first == tiles[t].first;
  if (before && after) return tiles[t - 1].pairs <= tiles[t + 1].pairs ? t - 1 : t + 1;
  return before ? t - 1 : after ? t + 1 : t;
}

/// Members of the tile's second cluster that are in a kept pair.
std::vector<std::int32_t> partners(const ClusteredCentres& orbitals, const PairTile& tile, double cutoff) {
  const auto& firsts = orbitals.clusters[tile.first];
  std::vector<std::int32_t> kept;
  for (const std::int32_t j : orbitals.clusters[tile.second]) {
    if (std::any_of(firsts.begin(), firsts.end(), [&](std::int32_t i) {
          return distance(orbitals.centres[i], orbitals.centres[j]) <= cutoff;
        }))
      kept.push_back(j);
  }
  return kept;
}

std::vector<std::int32_t> united(const std::vector<std::int32_t>& l, const std::vector<std::int32_t>& r) {
  std::vector<std::int32_t> all(l);
  all.insert(all.end(), r.begin(), r.end());
  std::sort(all.begin(), all.end());
  return all;
}

InputError wrong_size(std::int64_t pairs, std::int64_t least, std::int64_t most) {
  return input_error("a tile row", fmt::format("{} pairs of orbitals", pairs),
                     fmt::format("{} to {}", least, most), "change tile_min, tile_max or occ_clusters");
}

}  // namespace

void join_small_tiles(std::vector<PairTile>& tiles, ClusteredCentres& orbitals, double cutoff,
                      std::int64_t least, std::int64_t most) {
  for (std::size_t t = 0; t < tiles.size();) {
    if (tiles[t].pairs >= least) {
      ++t;
      continue;
    }
    const std::size_t other = smaller_neighbour(tiles, t);
    const std::int64_t pairs = tiles[t].pairs + tiles[other].pairs;
    if (other == t) throw wrong_size(tiles[t].pairs, least, most);
    if (pairs > most) throw wrong_size(pairs, least, most);
    orbitals.clusters.push_back(
        united(partners(orbitals, tiles[t], cutoff), partners(orbitals, tiles[other], cutoff)));
    const std::size_t kept = std::min(t, other);
    tiles[kept] = {tiles[t].first, static_cast<std::int32_t>(orbitals.clusters.size() - 1), pairs};
    tiles.erase(tiles.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
    t = kept;
  }
}

Tiling tiling_of(const std::vector<PairTile>& tiles) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(tiles.size());
  for (const PairTile& tile : tiles) sizes.push_back(tile.pairs);
  return Tiling::from_sizes(sizes);
}

std::int64_t fused_tiles(const std::vector<PairTile>& rows, const Links& links) {
  std::int64_t tiles = 0;
  for (const PairTile& row : rows) tiles += std::ssize(links[row.first]) * std::ssize(links[row.second]);
  return tiles;
}

Shape fused_shape(const std::vector<PairTile>& rows, const Links& links,
                  const std::vector<std::int64_t>& column_cluster_sizes) {
  const auto columns = static_cast<std::int32_t>(column_cluster_sizes.size());
  std::vector<Shape::Entry> entries;
  entries.reserve(static_cast<std::size_t>(fused_tiles(rows, links)));
  for (std::int32_t row = 0; row < std::ssize(rows); ++row) {
    const auto [first, second, pairs] = rows[row];
    for (const Link& r : links[first]) {
      for (const Link& s : links[second]) {
        const auto elements =
            static_cast<double>(pairs * column_cluster_sizes[r.to] * column_cluster_sizes[s.to]);
        const double norm = r.magnitude * s.magnitude * std::sqrt(elements);
        entries.push_back({row, r.to * columns + s.to, static_cast<float>(norm)});
      }
    }
  }
  return {static_cast<std::int32_t>(rows.size()), columns * columns, std::move(entries)};
}

}  // namespace foretile
