#include "planner/problems/pair_fusion.hpp"

#include <cmath>

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
