// Sums of tiles on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/precision.hpp"

namespace foretile {

/// Indices of a tile, at most.
inline constexpr std::size_t kMostIndices = 8;

/// to = beta to + factor from, element by element; the tiles do not overlap. With beta = 0 what lies in `to`
/// is not read. Every element takes one multiplication for a factor that is not 1 and one addition, so the
/// bits are the same wherever it runs. Indices are permuted: extents[d] is that of index d of `to`, the first
/// one runs fastest, and index d of `to` is index permutation[d] of `from`. An empty permutation leaves them
/// as they are. Throws InputError for more than kMostIndices extents and for what is no permutation of them.
void combine_tile(Precision precision, std::span<const std::int64_t> extents,
                  std::span<const int> permutation, double beta, double factor, const std::byte* from,
                  std::byte* to);

}  // namespace foretile
