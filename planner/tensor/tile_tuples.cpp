// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/tile_tuples.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

/// Positions before which and behind which a position is in its group, as far as they come earlier; else
/// itself.
struct Neighbours {
  std::size_t less, more;
};

std::vector<Neighbours> neighbours(std::size_t positions, const std::vector<IndexList>& groups) {
  std::vector<Neighbours> all(positions);
  for (std::size_t p = 0; p < positions; ++p) all[p] = {p, p};
  for (const IndexList& group : groups) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      const std::size_t less = group[i - 1], more = group[i];
      if (less < more) all[more].less = less;
      if (more < less) all[less].more = more;
    }
  }
  return all;
}

}  // namespace

TileRanges ranges_of(const IndexList& spaces, const std::vector<LabelledTiles>& tiles) {
  TileRanges ranges;
  for (const std::size_t space : spaces) ranges.push_back(&tiles[space]);
  return ranges;
}

std::vector<TileTuple> ordered_tuples(const TileRanges& ranges, const std::vector<IndexList>& groups,
                                      const std::string& what) {
  double most = 1;
  for (const LabelledTiles* tiles : ranges) most *= tiles->count();
  if (most > static_cast<double>(max_tiles))
    throw input_error(what, fmt::format("{:.3g} tuples of tiles", most), fmt::format("at most {}", max_tiles),
                      "take larger tiles");
  const std::vector<Neighbours> near = neighbours(ranges.size(), groups);
  std::vector<TileTuple> tuples{{}};
  for (std::size_t position = 0; position < ranges.size(); ++position) {
    std::vector<TileTuple> longer;
    for (const TileTuple& tuple : tuples) {
      const auto [less, more] = near[position];
      const std::int32_t first = less == position ? 0 : tuple[less];
      const std::int32_t end = more == position ? ranges[position]->count() : tuple[more] + 1;
      for (std::int32_t tile = first; tile < end; ++tile) {
        longer.push_back(tuple);
        longer.back().push_back(tile);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

namespace {

/// The number is larger where the highest bit in which two differ is.
bool has_lower_highest_bit(std::uint32_t x, std::uint32_t y) {
  return x < y && x < (x ^ y);
}

bool is_earlier_on_curve(const TileTuple& x, const TileTuple& y) {
  std::size_t at = 0;
  std::uint32_t most = 0;
  for (std::size_t p = 0; p < x.size(); ++p) {
    const std::uint32_t differ = static_cast<std::uint32_t>(x[p]) ^ static_cast<std::uint32_t>(y[p]);
    if (has_lower_highest_bit(most, differ)) at = p, most = differ;
  }
  return !x.empty() && x[at] < y[at];
}

}  // namespace

void sort_by_nearness(std::vector<TileTuple>& tuples) {
  std::ranges::sort(tuples, is_earlier_on_curve);
}

TileTuple mirrored(const TileTuple& tuple, const std::vector<std::size_t>& mirror) {
  TileTuple image(tuple.size());
  for (std::size_t p = 0; p < tuple.size(); ++p) image[p] = tuple[mirror[p]];
  return image;
}

bool is_in_order(const TileTuple& tuple, const std::vector<std::size_t>& mirror) {
  return mirror.empty() || tuple <= mirrored(tuple, mirror);
}

std::int64_t elements_of(const TileTuple& tuple, const TileRanges& ranges) {
  std::int64_t elements = 1;
  for (std::size_t p = 0; p < tuple.size(); ++p)
    elements *= ranges[p]->extents[static_cast<std::size_t>(tuple[p])];
  return elements;
}

bool is_allowed(const TileTuple& tuple, const TileRanges& ranges, std::size_t upper) {
  std::uint8_t irreps = 0;
  int betas = 0;
  bool spins = true;
  for (std::size_t p = 0; p < tuple.size(); ++p) {
    irreps ^= ranges[p]->irrep(tuple[p]);
    spins = spins && ranges[p]->with_spin;
    if (ranges[p]->is_beta(tuple[p])) betas += p < upper ? 1 : -1;
  }
  return irreps == 0 && (!spins || betas == 0);
}

bool is_beta_alone(const TileTuple& tuple, const TileRanges& ranges) {
  if (tuple.empty()) return false;
  for (std::size_t p = 0; p < tuple.size(); ++p) {
    if (!ranges[p]->is_beta(tuple[p])) return false;
  }
  return true;
}

}  // namespace foretile
