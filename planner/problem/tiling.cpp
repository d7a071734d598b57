// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace foretile {

Tiling::Tiling(std::vector<std::int64_t> cuts) : cuts_(std::move(cuts)) {
  if (cuts_.size() < 2 || cuts_.front() != 0) {
    throw input_error("tiling", fmt::format("{} cut points", cuts_.size()),
                      "0 and at least one more cut point");
  }
  if (cuts_.size() - 1 > std::numeric_limits<std::int32_t>::max()) {
    throw input_error("tiling", fmt::format("{} tiles", cuts_.size() - 1), "fewer than 2^31 tiles");
  }
  for (std::size_t t = 1; t < cuts_.size(); ++t) {
    if (cuts_[t] <= cuts_[t - 1]) {
      throw input_error("tiling", fmt::format("cut {} after cut {}", cuts_[t], cuts_[t - 1]),
                        "strictly increasing cut points");
    }
    if (cuts_[t] - cuts_[t - 1] > max_tile_extent) {
      throw input_error("tiling", fmt::format("a tile of {} elements", cuts_[t] - cuts_[t - 1]),
                        fmt::format("at most {}", max_tile_extent), "take smaller tiles");
    }
  }
}

Tiling Tiling::from_sizes(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> cuts{0};
  cuts.reserve(sizes.size() + 1);
  for (const std::int64_t size : sizes) cuts.push_back(cuts.back() + size);
  return Tiling(std::move(cuts));
}

Tiling Tiling::uniform(std::int64_t extent, std::int64_t tile) {
  if (extent < 1 || tile < 1) {
    throw input_error("tiling", fmt::format("extent {} and tile size {}", extent, tile), "both at least 1");
  }
  std::vector<std::int64_t> cuts{0};
  while (cuts.back() < extent) cuts.push_back(std::min(extent, cuts.back() + tile));
  return Tiling(std::move(cuts));
}

std::int64_t Tiling::largest() const {
  std::int64_t most = 0;
  for (std::int32_t t = 0; t < tiles(); ++t) most = std::max(most, size(t));
  return most;
}

}  // namespace foretile
