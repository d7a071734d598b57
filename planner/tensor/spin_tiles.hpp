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
  std::int64_t vectors = 0;      ///< of an auxiliary space; 0: the program has none
  std::int64_t vector_tile = 0;  ///< how large a tile of it is at most; 0: kVectorTile

  /// Of each on-demand intermediate, which are made one behind the other (in_slices()); 0: not chosen yet.
  int slices = 0;

  /// Of a space of that kind.
  std::int64_t extent_of(SpaceKind kind) const;
  /// The same: how large a tile is at most.
  std::int64_t tile_of(SpaceKind kind) const;
};

inline constexpr int kMostSlices = 256;

/// As TAMM has it: "auxiliary indices" of at most 1000 (ExaChem's Cholesky CCSD).
inline constexpr std::int64_t kVectorTile = 1000;

/// Of each space: even_spin_tiles(), or tiles without spin where orbitals are spatial. Throws InputError
/// where the program has an auxiliary space and there are no vectors, or the other way round.
std::vector<LabelledTiles> spin_tiles_of(const Program& program, const ProgramSizes& sizes);

}  // namespace foretile
