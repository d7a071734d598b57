// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/tile_indices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

using Strides = std::array<std::int64_t, kMostIndices>;

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

void check_extents(std::span<const std::int64_t> extents) {
  if (std::all_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent >= 0; })) return;
  throw input_error("tile", fmt::format("extents {}", fmt::join(extents, ", ")), "none below 0");
}

void check_permutation(std::span<const std::int64_t> extents, std::span<const int> permutation) {
  std::array<bool, kMostIndices> seen{};
  bool good = extents.size() <= kMostIndices && permutation.size() == extents.size();
  for (const int index : permutation) {
    good = good && index >= 0 && index < std::ssize(extents) && !seen[static_cast<std::size_t>(index)];
    if (good) seen[static_cast<std::size_t>(index)] = true;
  }
  if (!good)
    throw input_error("permutation", fmt::format("{}", fmt::join(permutation, ", ")),
                      fmt::format("each of 0 to {} once, at most {}", std::ssize(extents) - 1, kMostIndices));
}

/// Of each index of `from`, which has the extent of its index of `to`.
Strides strides_of(std::span<const std::int64_t> extents, std::span<const int> permutation) {
  Strides strides{};
  for (std::size_t d = 0; d < extents.size(); ++d)
    strides[static_cast<std::size_t>(permutation[d])] = extents[d];
  std::int64_t before = 1;
  for (std::size_t e = 0; e < extents.size(); ++e) before *= std::exchange(strides[e], before);
  return strides;
}

}  // namespace

std::int64_t TileIndices::elements() const {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < count; ++d) elements *= of[d].extent;
  return elements;
}

TileIndices tile_indices(std::span<const std::int64_t> extents, std::span<const int> permutation) {
  check_extents(extents);
  TileIndices indices;
  if (!permutation.empty()) check_permutation(extents, permutation);
  indices.of[0].extent = product(extents);
  if (permutation.empty() || indices.of[0].extent <= 1) return indices;
  const Strides strides = strides_of(extents, permutation);
  indices.count = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    const TileIndex index{extents[d], strides[static_cast<std::size_t>(permutation[d])]};
    TileIndex* const last = indices.count > 0 ? &indices.of[indices.count - 1] : nullptr;
    if (last && index.stride == last->stride * last->extent) {
      last->extent *= index.extent;
    } else {
      indices.of[indices.count++] = index;
    }
  }
  return indices;
}

}  // namespace foretile
