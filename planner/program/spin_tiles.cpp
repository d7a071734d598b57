#include "planner/program/spin_tiles.hpp"

namespace foretile {

std::vector<LabelledTiles> spin_tiles_of(const Program& program, const ProgramSizes& sizes) {
  std::vector<LabelledTiles> tiles;
  for (const IndexSpace& space : program.spaces)
    tiles.push_back(even_spin_tiles(space.occupied ? sizes.occupied : sizes.virtuals, sizes.tile));
  return tiles;
}

}  // namespace foretile
