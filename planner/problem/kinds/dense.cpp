// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/dense.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

/// The sizes of one index's tiles; empty when `tile` cuts it.
std::vector<std::int64_t> read_sizes(TableReader& table, std::string_view key, std::int64_t extent) {
  if (!table.has(key)) return {};
  std::vector<std::int64_t> sizes = table.integers(key, 1, extent);
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (sum != static_cast<double>(extent)) {
    throw table.error(key, fmt::format("sizes that add up to {:.0f}", sum), fmt::format("{}", extent),
                      "make the sizes add up to the extent");
  }
  return sizes;
}

/// Of an index whose list is `sizes`; 0 where the key is not there.
std::int64_t read_size(TableReader& table, std::string_view key, const std::vector<std::int64_t>& sizes) {
  if (!table.has(key)) return 0;
  const std::int64_t size = table.integer(key, 1, max_extent);
  if (!sizes.empty())
    throw table.error(key, fmt::format("{} and a list of {} sizes for the same index", size, sizes.size()),
                      "one of the two", "remove the size or the list");
  return size;
}

Tiling cut(std::int64_t extent, std::int64_t common, std::int64_t own,
           const std::vector<std::int64_t>& sizes) {
  if (!sizes.empty()) return Tiling::from_sizes(sizes);
  const std::int64_t tile = own > 0 ? own : common;
  check_tile_count(tile > 0 ? extent / tile : 1, 1);
  return Tiling::uniform(extent, tile);
}

/// Even parts of at most `most`, and an even number of them unless one is enough.
std::int64_t even_part(std::int64_t extent, std::int64_t most) {
  if (extent <= most) return extent;
  std::int64_t parts = (extent + most - 1) / most;
  parts += parts % 2;
  return (extent + parts - 1) / parts;
}

constexpr std::int64_t kMostOfSide = 2048;

/// A side is cut into up to four parts, a long one into six at least, so that all cores get work.
std::int64_t most_of_side(std::int64_t extent) {
  constexpr std::int64_t kLeastOfSide = 256, kParts = 4, kPartsOfLong = 6;
  return extent > kMostOfSide ? std::min(kMostOfSide, (extent + kPartsOfLong - 1) / kPartsOfLong)
                              : std::max(kLeastOfSide, extent / kParts);
}

}  // namespace

TileSize usual_tiles(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kMostOfK = 1024, kMostOfC = std::int64_t{1} << 21;
  TileSize tile;
  tile.m = even_part(m, most_of_side(m));
  tile.n = even_part(n, std::min(most_of_side(n), kMostOfC / tile.m));
  tile.k = even_part(k, kMostOfK);
  return tile;
}

void read_tilings(TableReader& table, DenseParameters& p) {
  p.m = table.integer("m", 1, max_extent);
  p.n = table.integer("n", 1, max_extent);
  p.k = table.integer("k", 1, max_extent);
  p.m_tiles = read_sizes(table, "m_tiles", p.m);
  p.n_tiles = read_sizes(table, "n_tiles", p.n);
  p.k_tiles = read_sizes(table, "k_tiles", p.k);
  p.m_tile = read_size(table, "m_tile", p.m_tiles);
  p.n_tile = read_size(table, "n_tile", p.n_tiles);
  p.k_tile = read_size(table, "k_tile", p.k_tiles);
  const bool all_given = (p.m_tile > 0 || !p.m_tiles.empty()) && (p.n_tile > 0 || !p.n_tiles.empty()) &&
                         (p.k_tile > 0 || !p.k_tiles.empty());
  p.tile = all_given ? table.integer_or("tile", 0, 0, max_extent) : table.integer("tile", 1, max_extent);
}

DenseParameters read_dense(TableReader& table) {
  DenseParameters p;
  read_tilings(table, p);
  p.seed = static_cast<std::uint64_t>(table.integer_or("seed", 1, 0, max_seed));
  p.accumulate = table.boolean_or("accumulate", false);
  return p;
}

std::string tilings_toml(const DenseParameters& p) {
  std::string text = fmt::format("m = {}\nn = {}\nk = {}\n", p.m, p.n, p.k);
  for (const auto& [key, size] :
       {std::pair("tile", p.tile), {"m_tile", p.m_tile}, {"n_tile", p.n_tile}, {"k_tile", p.k_tile}}) {
    if (size != 0) text += fmt::format("{} = {}\n", key, size);
  }
  const auto add_sizes = [&](std::string_view key, const std::vector<std::int64_t>& sizes) {
    if (!sizes.empty()) text += fmt::format("{} = [{}]\n", key, fmt::join(sizes, ", "));
  };
  add_sizes("m_tiles", p.m_tiles);
  add_sizes("n_tiles", p.n_tiles);
  add_sizes("k_tiles", p.k_tiles);
  return text;
}

std::string dense_problem_toml(const DenseParameters& p) {
  std::string text = "kind = \"dense\"\n" + tilings_toml(p);
  text += fmt::format("seed = {}\n", p.seed);
  return p.accumulate ? text + "accumulate = true\n" : text;
}

Tilings tilings_of(const DenseParameters& p) {
  const TileSize common = p.tile == 0 && p.m > 0 && p.n > 0 && p.k > 0 ? usual_tiles(p.m, p.n, p.k)
                                                                       : TileSize{p.tile, p.tile, p.tile};
  Tiling m = cut(p.m, common.m, p.m_tile, p.m_tiles);
  Tiling n = cut(p.n, common.n, p.n_tile, p.n_tiles);
  Tiling k = cut(p.k, common.k, p.k_tile, p.k_tiles);
  check_tile_count(m.tiles(), n.tiles());
  check_tile_count(m.tiles(), k.tiles());
  check_tile_count(k.tiles(), n.tiles());
  return {std::move(m), std::move(n), std::move(k)};
}

Contraction dense_contraction(const DenseParameters& p) {
  auto [m, n, k] = tilings_of(p);
  Shape a = Shape::dense(m.tiles(), k.tiles());
  Shape b = Shape::dense(k.tiles(), n.tiles());
  check_product_count(a, b);
  Shape c = Shape::dense(m.tiles(), n.tiles());
  return {"dense",      std::move(m), std::move(n),
          std::move(k), std::move(a), std::move(b),
          std::move(c), p.seed,       p.accumulate ? 1.0 : 0.0};
}

}  // namespace foretile
