// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/kept_blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile {

void keep_listed(TensorBlocks& blocks, const std::vector<std::vector<double>>& listed,
                 const std::string& where) {
  const std::size_t indices = blocks.ranges().size();
  std::vector<BlockId> kept;
  for (const std::vector<double>& row : listed) {
    if (row.size() != indices && row.size() != indices + 1)
      throw input_error(where, fmt::format("[{}]", fmt::join(row, ", ")),
                        fmt::format("the tiles of {} indices, and a norm where it is not 1", indices));
    TileTuple tiles;
    for (std::size_t p = 0; p < indices; ++p) {
      const std::int32_t count = blocks.ranges()[p]->count();
      if (!(row[p] >= 0 && row[p] < count) || row[p] != std::floor(row[p]))
        throw input_error(where, fmt::format("tile {}", row[p]), fmt::format("0 to {}", count - 1));
      tiles.push_back(static_cast<std::int32_t>(row[p]));
    }
    const auto place = blocks.find(tiles);
    if (!place)
      throw input_error(where, fmt::format("block [{}]", fmt::join(tiles, ", ")),
                        "blocks that spins and irreps allow");
    const double norm = row.size() > indices ? row[indices] : 1;
    if (!(norm >= 0 && norm <= std::numeric_limits<float>::max()))
      throw input_error(where, fmt::format("norm {}", norm), "a number from 0 to 3.4e38");
    blocks.set_norm(place->block, static_cast<float>(norm));
    kept.push_back(place->block);
  }
  std::ranges::sort(kept);
  if (const auto twice = std::ranges::adjacent_find(kept); twice != kept.end())
    throw input_error(where, fmt::format("block [{}] twice", fmt::join(blocks.tiles(*twice), ", ")),
                      "each block once, in one order of its antisymmetric indices");
  blocks.keep(kept);
}

void keep_share(TensorBlocks& blocks, double density, std::uint64_t seed) {
  Random random(seed);
  std::vector<BlockId> kept(static_cast<std::size_t>(blocks.count()));
  std::iota(kept.begin(), kept.end(), BlockId{0});
  auto elements = static_cast<double>(blocks.elements());
  const double least = density * elements;
  while (kept.size() > 1) {
    const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(kept) - 1));
    elements -= static_cast<double>(blocks.elements(kept[at]));
    if (elements < least) break;
    kept[at] = kept.back();
    kept.pop_back();
  }
  std::ranges::sort(kept);
  blocks.keep(kept);
}

}  // namespace foretile
