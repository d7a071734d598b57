// SPDX-License-Identifier: BSD-3-Clause
// Which part of a tile of B a core makes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Elements [first, first + elements) of a tile, in the order in which they lie in memory.
struct MadePart {
  TileId tile = 0;
  std::int64_t first = 0;
  std::int64_t elements = 0;
  friend bool operator==(const MadePart&, const MadePart&) = default;
};

/// Bytes of a part of a tile, at least. A part takes 2.6 us to hand out (CpuBackend, Intel Xeon), a megabyte
/// 60 us (in the cache) to 3 ms (0.3 GB/s) to make. More than scheduler/options joins in one operation.
inline constexpr std::int64_t kLeastPartBytes = 1'000'000;

/// How many of `cores` make a tile together: at least 1.
inline int parts_of_tile(std::int64_t bytes, int cores, std::int64_t least_part_bytes = kLeastPartBytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / least_part_bytes, 1, std::max(1, cores)));
}

/// Part `number` (0, 1, ...) of `parts`: they differ by one element at most.
inline MadePart part_of_tile(TileId tile, std::int64_t elements, int number, int parts) {
  const std::int64_t first = elements * number / parts;
  return {tile, first, elements * (number + 1) / parts - first};
}

/// Bytes of the largest part when `cores` make a tile together: no tile is made in less time than this takes.
inline double largest_part_bytes(std::int64_t bytes, std::int64_t element_bytes, int cores) {
  const std::int64_t parts = parts_of_tile(bytes, cores);
  const std::int64_t elements = (bytes / element_bytes + parts - 1) / parts;
  return static_cast<double>(elements * element_bytes);
}

}  // namespace foretile
