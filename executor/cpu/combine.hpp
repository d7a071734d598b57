// SPDX-License-Identifier: BSD-3-Clause
// Sums of tiles on one core.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/element_type.hpp"

namespace foretile {

/// A tile's numbers are cut along its slowest index to `of` parts, as even as can be; some may be empty.
struct TileShare {
  int number = 0, of = 1;
};

/// to = beta to + factor from, element by element, of one part; the tiles do not overlap. With beta = 0 what
/// is in `to` is not read. beta and factor are rounded to the precision first; of real tiles they are real.
/// beta to, factor from and their sum are each rounded once, complex ones as (a + b i) (c + d i) = (a c - b
/// d) + (a d
/// + b c) i with each operation rounded, so the bits are the same wherever it runs (of a NaN only that it is
/// one). Indices are permuted: see tile_indices() (executor/tiles/tile_indices.hpp) for extents, permutation
/// and errors.
void combine_tile(ElementType type, std::span<const std::int64_t> extents, std::span<const int> permutation,
                  std::complex<double> beta, std::complex<double> factor, const std::byte* from,
                  std::byte* to, TileShare part = {});

/// to = beta to, for a tile of this many elements.
void scale_tile(ElementType type, std::complex<double> beta, std::int64_t elements, std::byte* to);

}  // namespace foretile
