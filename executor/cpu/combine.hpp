// Sums of tiles on one core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/precision.hpp"

namespace foretile {

/// to = beta to + factor from, element by element; the tiles do not overlap. With beta = 0 what lies in `to`
/// is not read. beta and factor are rounded to the precision first. beta to, factor from and their sum are
/// each rounded once, so the bits are the same wherever it runs (of a NaN only that it is one). Indices are
/// permuted: see tile_indices() (executor/tile_indices.hpp) for extents, permutation and errors.
void combine_tile(Precision precision, std::span<const std::int64_t> extents,
                  std::span<const int> permutation, double beta, double factor, const std::byte* from,
                  std::byte* to);

}  // namespace foretile
