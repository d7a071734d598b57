#include "executor/tile_storage.hpp"

#include "executor/initial_tile.hpp"

namespace foretile {

void SeededTiles::fill(TileRef tile, std::byte* to) const {
  make_tile(problem_, tile, to);
}

void SeededTiles::fill_part(const MadePart& part, std::byte* tile) const {
  make_part_of_b(problem_, part, tile);
}

}  // namespace foretile
