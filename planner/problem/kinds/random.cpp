// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/random.hpp"

#include <fmt/format.h>

#include <numeric>

#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

RandomParameters read_random(TableReader& table) {
  RandomParameters p;
  p.m = table.integer("m", 1, max_extent);
  p.n = table.integer("n", 1, max_extent);
  p.k = table.integer("k", 1, max_extent);
  p.tile_min = table.integer_or("tile_min", p.tile_min, 1, max_extent);
  p.tile_max = table.integer_or("tile_max", p.tile_max, 1, max_extent);
  if (p.tile_max < p.tile_min) {
    throw table.error("tile_max", fmt::format("{} with tile_min = {}", p.tile_max, p.tile_min),
                      "at least tile_min", "swap them");
  }
  const double least = 1e-9;  // less than one element of the largest matrix asks for nothing
  p.a_density = table.real_or("a_density", p.a_density, least, 1);
  p.b_density = table.real_or("b_density", p.b_density, least, 1);
  p.seed = static_cast<std::uint64_t>(table.integer_or("seed", 1, 0, max_seed));
  p.accumulate = table.boolean_or("accumulate", false);
  return p;
}

std::string random_problem_toml(const RandomParameters& p) {
  const std::string text = fmt::format(
      "kind = \"random\"\nm = {}\nn = {}\nk = {}\ntile_min = {}\ntile_max = {}\na_density = {}\n"
      "b_density = {}\nseed = {}\n",
      p.m, p.n, p.k, p.tile_min, p.tile_max, p.a_density, p.b_density, p.seed);
  return p.accumulate ? text + "accumulate = true\n" : text;
}

Tiling random_tiling(std::int64_t extent, std::int64_t low, std::int64_t high, Random& random) {
  check_tile_count(extent / high, 1);
  std::vector<std::int64_t> cuts{0};
  while (cuts.back() < extent) cuts.push_back(std::min(extent, cuts.back() + random.integer(low, high)));
  return Tiling(std::move(cuts));
}

Shape random_shape(const Tiling& rows, const Tiling& columns, double density, Random& random) {
  check_tile_count(rows.tiles(), columns.tiles());
  std::vector<std::int64_t> left(static_cast<std::size_t>(rows.tiles()) * columns.tiles());
  std::iota(left.begin(), left.end(), std::int64_t{0});
  double elements = static_cast<double>(rows.extent()) * static_cast<double>(columns.extent());
  const double target = density * elements;
  while (left.size() > 1) {
    const std::int64_t at = random.integer(0, static_cast<std::int64_t>(left.size()) - 1);
    const auto row = static_cast<std::int32_t>(left[at] / columns.tiles());
    const auto column = static_cast<std::int32_t>(left[at] % columns.tiles());
    const double fewer =
        elements - static_cast<double>(rows.size(row)) * static_cast<double>(columns.size(column));
    if (fewer < target) break;
    elements = fewer;
    left[at] = left.back();
    left.pop_back();
  }
  std::vector<Shape::Entry> entries;
  entries.reserve(left.size());
  for (const std::int64_t tile : left) {
    entries.push_back({static_cast<std::int32_t>(tile / columns.tiles()),
                       static_cast<std::int32_t>(tile % columns.tiles()), 1.0F});
  }
  return {rows.tiles(), columns.tiles(), std::move(entries)};
}

Contraction random_contraction(const RandomParameters& p) {
  Random random(p.seed);
  Tiling m = random_tiling(p.m, p.tile_min, p.tile_max, random);
  Tiling n = random_tiling(p.n, p.tile_min, p.tile_max, random);
  Tiling k = random_tiling(p.k, p.tile_min, p.tile_max, random);
  check_tile_count(m.tiles(), n.tiles());
  Shape a = random_shape(m, k, p.a_density, random);
  Shape b = random_shape(k, n, p.b_density, random);
  check_product_count(a, b);
  Shape c = symbolic_product(a, b, 0.0);
  Contraction contraction{"random",     std::move(m), std::move(n),
                          std::move(k), std::move(a), std::move(b),
                          std::move(c), p.seed,       p.accumulate ? 1.0 : 0.0};
  contraction.sources.b = Source::generated;
  return contraction;
}

}  // namespace foretile
