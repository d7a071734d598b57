// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/tile_cuts.hpp"

#include <algorithm>

namespace foretile {

std::vector<std::int64_t> cuts_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> cuts{0};
  cuts.reserve(sizes.size() + 1);
  for (const std::int64_t size : sizes) cuts.push_back(cuts.back() + size);
  return cuts;
}

std::int32_t tile_at(const std::vector<std::int64_t>& cuts, std::int64_t at) {
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), at) - cuts.begin() - 1);
}

std::vector<std::int64_t> gapless_offsets(const MatrixFacts& facts) {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(facts.tiles.size() + 1);
  for (const auto& [row, column] : facts.tiles)
    offsets.push_back(offsets.back() + facts.row_tiles[static_cast<std::size_t>(row)] *
                                           facts.column_tiles[static_cast<std::size_t>(column)]);
  return offsets;
}

}  // namespace foretile
