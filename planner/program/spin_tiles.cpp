#include "planner/program/spin_tiles.hpp"

namespace foretile {

SpinTiles even_spin_tiles(std::int64_t orbitals, std::int64_t most) {
  const std::int64_t tiles = (orbitals + most - 1) / most;
  std::vector<std::int64_t> extents;
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    extents.push_back(orbitals * (tile + 1) / tiles - orbitals * tile / tiles);
  return {{extents, extents}};
}

std::vector<SpinTiles> spin_tiles_of(const Program& program, std::int64_t occupied, std::int64_t virtuals,
                                     std::int64_t most) {
  std::vector<SpinTiles> tiles;
  for (const IndexSpace& space : program.spaces)
    tiles.push_back(even_spin_tiles(space.occupied ? occupied : virtuals, most));
  return tiles;
}

}  // namespace foretile
