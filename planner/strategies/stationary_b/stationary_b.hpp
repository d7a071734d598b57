// B stays, A streams: the algorithm of RR-9365 section 3.2.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

// The steps of the algorithm, in the order in which they are used.

/// 3.2.1: flops of each column of B in the product, counting every row of A that meets a nonzero tile of B;
/// exact where C keeps all tiles, an upper bound otherwise. O(nnz of A and B), as in 3.2.4.
std::vector<double> column_flops(const Contraction& contraction);

/// 3.2.1: columns sorted by non-decreasing weight (ties by index) and dealt to q owners in mirrored cyclic
/// order: 0..q-1, q-1..0, 0..q-1, ... Returns the owner of each column.
std::vector<int> deal_mirrored(const std::vector<double>& weights, int q);

/// 3.2.2: places items by non-increasing size (ties by index) into bins of `capacity`: each into the bin with
/// the most space left (worst fit), or into a new bin when it fits nowhere. Starts with `devices` empty bins;
/// bin b belongs to device b mod devices. Every size must be <= capacity. Returns the items of each bin.
std::vector<std::vector<std::int32_t>> worst_fit(const std::vector<std::int64_t>& sizes,
                                                 std::int64_t capacity, int devices);

/// 3.2.3: takes one tile from each row in turn until the next one would exceed `capacity`, then starts the
/// next chunk with it. Every tile must be <= capacity. `bytes(tile)` is its size.
template <class Bytes>
std::vector<Chunk> cyclic_chunks(const std::vector<std::vector<TileId>>& rows, std::int64_t capacity,
                                 Bytes bytes) {
  std::vector<Chunk> chunks;
  std::int64_t filled = 0;
  std::vector<std::size_t> next(rows.size(), 0);
  for (bool left = true; left;) {
    left = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (next[r] == rows[r].size()) continue;
      left = true;
      const TileId tile = rows[r][next[r]++];
      if (chunks.empty() || filled + bytes(tile) > capacity) {
        chunks.emplace_back();
        filled = 0;
      }
      chunks.back().a.push_back(tile);
      filled += bytes(tile);
    }
  }
  return chunks;
}

}  // namespace foretile
