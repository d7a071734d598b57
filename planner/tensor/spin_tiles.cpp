// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

std::vector<LabelledTiles> spin_tiles_of(const Program& program, const ProgramSizes& sizes) {
  std::vector<LabelledTiles> tiles;
  for (const IndexSpace& space : program.spaces) {
    const std::int64_t orbitals = space.occupied ? sizes.occupied : sizes.virtuals;
    tiles.push_back(program.spatial
                        ? LabelledTiles{even_extents(orbitals, (orbitals + sizes.tile - 1) / sizes.tile)}
                        : even_spin_tiles(orbitals, sizes.tile));
  }
  return tiles;
}

}  // namespace foretile
