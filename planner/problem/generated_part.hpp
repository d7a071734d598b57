// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which part of a tile of B a core makes.
#pragma once

#include <cstdint>

#include "planner/problem/tile_ref.hpp"
#include "platforms/cost/generation.hpp"

namespace foretile {

/// Elements [first, first + elements) of a tile, in the order in which they are in memory.
struct GeneratedPart {
  TileId tile = 0;            ///< of B
  std::int64_t first = 0;     ///< in elements
  std::int64_t elements = 0;  ///< number of elements
  /// All members are equal.
  friend bool operator==(const GeneratedPart&, const GeneratedPart&) = default;
};

/// Part `number` (0, 1, ...) of `parts`: they differ by one element at most.
inline GeneratedPart part_of_tile(TileId tile, std::int64_t elements, int number, int parts) {
  const std::int64_t first = elements * number / parts;
  return {tile, first, elements * (number + 1) / parts - first};
}

}  // namespace foretile
