// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/spin_tiles.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

void require_vectors(const Program& program, const ProgramSizes& sizes) {
  const bool has_auxiliary =
      std::ranges::find(program.spaces, SpaceKind::auxiliary, &IndexSpace::kind) != program.spaces.end();
  if (has_auxiliary && sizes.vectors == 0)
    throw input_error("--vectors", "nothing", "the extent of the program's auxiliary space",
                      "give it, such as --vectors 500: about 6 for each basis function with Cholesky "
                      "decomposition to 1e-5");
  for (const auto& [option, value] :
       {std::pair("--vectors", sizes.vectors), {"--vector-tile", sizes.vector_tile}}) {
    if (!has_auxiliary && value > 0)
      throw input_error(option, "a program without an auxiliary space", "one with such a space",
                        std::string("leave ") + option + " out");
  }
}

}  // namespace

std::int64_t ProgramSizes::extent_of(SpaceKind kind) const {
  if (kind == SpaceKind::auxiliary) return vectors;
  return kind == SpaceKind::occupied ? occupied : virtuals;
}

std::int64_t ProgramSizes::tile_of(SpaceKind kind) const {
  if (kind != SpaceKind::auxiliary) return tile;
  return vector_tile > 0 ? vector_tile : kVectorTile;
}

std::vector<LabelledTiles> spin_tiles_of(const Program& program, const ProgramSizes& sizes) {
  require_vectors(program, sizes);
  std::vector<LabelledTiles> tiles;
  for (const IndexSpace& space : program.spaces) {
    const std::int64_t extent = sizes.extent_of(space.kind), most = sizes.tile_of(space.kind);
    tiles.push_back(program.spatial ? LabelledTiles{even_extents(extent, (extent + most - 1) / most)}
                                    : even_spin_tiles(extent, most));
  }
  return tiles;
}

}  // namespace foretile
