// SPDX-License-Identifier: BSD-3-Clause
// Comparison of tiles of C with sums in extended precision.
#pragma once

#include "executor/check/tile_errors.hpp"

namespace foretile {

/// Compares each element with the sum of products in extended precision. Takes about 5 s per Gflop.
TileErrors compare_with_reference(const Contraction& contraction, const TilesOfC& c);

}  // namespace foretile
