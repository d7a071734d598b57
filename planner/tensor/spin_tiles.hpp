// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a program's index spaces, as the Tensor Contraction Engine has them.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/program.hpp"

namespace foretile {

/// Orbitals of each spin, and how large a tile is at most. All at least 1.
struct ProgramSizes {
  std::int64_t occupied = 0, virtuals = 0, tile = 0;
};

/// Of each space: even_spin_tiles().
std::vector<LabelledTiles> spin_tiles_of(const Program& program, const ProgramSizes& sizes);

}  // namespace foretile
