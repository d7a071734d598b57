// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/tiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/matrix_files/matrix_market.hpp"
#include "planner/problem/kinds/stored_tiles.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

std::int32_t tile_number(const TableReader& table, std::string_view key, double given, std::int64_t tiles) {
  if (!(given >= 0 && given < static_cast<double>(tiles)) || given != std::floor(given)) {
    throw table.error(key, fmt::format("tile {}", given), fmt::format("0 to {}", tiles - 1));
  }
  return static_cast<std::int32_t>(given);
}

/// Tile sizes; together they stay below the largest extent.
std::vector<std::int64_t> read_sizes(TableReader& table, std::string_view key) {
  std::vector<std::int64_t> sizes = table.integers(key, 1, max_extent);
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    sum += size;
    if (sum > max_extent)
      throw table.error(key, "sizes of more", fmt::format("at most {} in all", max_extent));
  }
  return sizes;
}

std::vector<std::int64_t> sizes_of(const Tiling& tiling) {
  std::vector<std::int64_t> sizes;
  for (std::int32_t t = 0; t < tiling.tiles(); ++t) sizes.push_back(tiling.size(t));
  return sizes;
}

}  // namespace

std::vector<Shape::Entry> read_tile_list(TableReader& table, std::string_view key, std::int64_t rows,
                                         std::int64_t columns) {
  std::vector<Shape::Entry> entries;
  for (const std::vector<double>& tile : table.rows(key, 2, 3)) {
    const double norm = tile.size() == 3 ? tile[2] : 1.0;
    if (!(norm >= 0 && norm <= std::numeric_limits<float>::max())) {
      throw table.error(key, fmt::format("norm {}", norm), "a number from 0 up");
    }
    entries.push_back({tile_number(table, key, tile[0], rows), tile_number(table, key, tile[1], columns),
                       static_cast<float>(norm)});
  }
  return entries;
}

std::string tile_list_toml(std::string_view key, const std::vector<Shape::Entry>& entries) {
  std::string text = fmt::format("{} = [\n", key);
  for (const auto& [row, column, norm] : entries) text += fmt::format("  [{}, {}, {}],\n", row, column, norm);
  return text + "]\n";
}

Shape shape_of_list(std::string_view key, const Tiling& rows, const Tiling& columns,
                    const std::vector<Shape::Entry>& entries) {
  try {
    return {rows.tiles(), columns.tiles(), entries};
  } catch (const InputError& e) {
    throw within(fmt::format("key '{}'", key), e);
  }
}

TilesParameters read_tiles(TableReader& table) {
  TilesParameters p;
  p.m_tiles = read_sizes(table, "m_tiles");
  p.n_tiles = read_sizes(table, "n_tiles");
  p.k_tiles = read_sizes(table, "k_tiles");
  p.a = read_tile_list(table, "a", std::ssize(p.m_tiles), std::ssize(p.k_tiles));
  p.b = read_tile_list(table, "b", std::ssize(p.k_tiles), std::ssize(p.n_tiles));
  if (table.has("c")) p.c = read_tile_list(table, "c", std::ssize(p.m_tiles), std::ssize(p.n_tiles));
  p.c_threshold = table.real_or("c_threshold", 0, 0, std::numeric_limits<double>::max());
  p.seed = static_cast<std::uint64_t>(table.integer_or("seed", 1, 0, max_seed));
  p.accumulate = table.boolean_or("accumulate", false);
  return p;
}

std::string tiles_problem_toml(const TilesParameters& p) {
  std::string text = fmt::format(
      "kind = \"tiles\"\nm_tiles = [{}]\nn_tiles = [{}]\nk_tiles = [{}]\nc_threshold = {}\nseed = {}\n",
      fmt::join(p.m_tiles, ", "), fmt::join(p.n_tiles, ", "), fmt::join(p.k_tiles, ", "), p.c_threshold,
      p.seed);
  if (p.accumulate) text += "accumulate = true\n";
  text += tile_list_toml("a", p.a) + tile_list_toml("b", p.b);
  return p.c ? text + tile_list_toml("c", *p.c) : text;
}

Contraction tiles_contraction(const TilesParameters& p) {
  Tiling m = Tiling::from_sizes(p.m_tiles);
  Tiling n = Tiling::from_sizes(p.n_tiles);
  Tiling k = Tiling::from_sizes(p.k_tiles);
  Shape a = shape_of_list("a", m, k, p.a);
  Shape b = shape_of_list("b", k, n, p.b);
  check_product_count(a, b);
  std::optional<Shape> given;
  if (p.c) given = shape_of_list("c", m, n, *p.c);
  Shape c = symbolic_product(a, b, p.c_threshold, given ? &*given : nullptr);
  return {"tiles",      std::move(m), std::move(n),
          std::move(k), std::move(a), std::move(b),
          std::move(c), p.seed,       p.accumulate ? 1.0 : 0.0};
}

TilesParameters tiles_of_matrices(const MarketMatrix& a, const MarketMatrix& b, std::int64_t tile) {
  if (a.columns != b.rows) {
    throw input_error("matrices", fmt::format("{} columns of A and {} rows of B", a.columns, b.rows),
                      "as many of both");
  }
  for (const std::int64_t extent : {a.rows, a.columns, b.columns}) {
    if (tile > 0) check_tile_count(extent / tile, 1);
  }
  const Tiling m = Tiling::uniform(a.rows, tile);
  const Tiling k = Tiling::uniform(a.columns, tile);
  const Tiling n = Tiling::uniform(b.columns, tile);
  TilesParameters p;
  p.m_tiles = sizes_of(m);
  p.k_tiles = sizes_of(k);
  p.n_tiles = sizes_of(n);
  p.a = nonzero_tiles(a.entries, m, k);
  p.b = nonzero_tiles(b.entries, k, n);
  return p;
}

}  // namespace foretile
