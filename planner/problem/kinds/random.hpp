// SPDX-License-Identifier: BSD-3-Clause
// Problem kind "random": the synthetic benchmark of RR-9365, section 5.1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;

/// Tile sizes are uniform in [tile_min, tile_max] for each index, the last tile is cut to the extent. Tiles
/// of A, then of B, are removed one by one, each nonzero tile as likely as any other, until the next removal
/// would draw the element-wise density under the target. C's shape is the symbolic product; all norms are 1.
struct RandomParameters {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t tile_min = 512, tile_max = 2048;  ///< the paper's range
  double a_density = 1, b_density = 1;           ///< nonzero elements over all elements, in (0, 1]
  std::uint64_t seed = 1;                        ///< of tilings, shapes and the numbers in the tiles
  bool accumulate = false;                       ///< C += A B instead of C = A B
};

/// Keys: m, n, k, tile_min, tile_max, a_density, b_density, seed, accumulate.
RandomParameters read_random(TableReader& table);
/// The text of a problem file.
std::string random_problem_toml(const RandomParameters& parameters);
/// The same for the same parameters with every compiler and standard library. B is generated (RR-9365,
/// section 5.1).
Contraction random_contraction(const RandomParameters& parameters);

/// The steps, for tests. Requires 1 <= low <= high and extent >= 1.
Tiling random_tiling(std::int64_t extent, std::int64_t low, std::int64_t high, Random& random);
/// Requires 0 < density <= 1; at least one tile stays.
Shape random_shape(const Tiling& rows, const Tiling& columns, double density, Random& random);

}  // namespace foretile
