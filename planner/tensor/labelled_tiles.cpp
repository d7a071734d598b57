// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/labelled_tiles.hpp"

namespace foretile {

std::vector<std::int64_t> LabelledTiles::of(Spin spin) const {
  const auto middle = extents.begin() + of_alpha();
  return spin == Spin::alpha ? std::vector(extents.begin(), middle) : std::vector(middle, extents.end());
}

std::vector<std::int64_t> even_extents(std::int64_t extent, std::int64_t tiles) {
  const std::int64_t rest = extent % tiles;  // its product with tiles fits 64 bits
  std::vector<std::int64_t> extents;
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    extents.push_back(extent / tiles + rest * (tile + 1) / tiles - rest * tile / tiles);
  return extents;
}

LabelledTiles with_spins(const std::vector<std::int64_t>& extents, const std::vector<std::uint8_t>& irreps) {
  LabelledTiles tiles{extents, true, irreps};
  tiles.extents.insert(tiles.extents.end(), extents.begin(), extents.end());
  tiles.irreps.insert(tiles.irreps.end(), irreps.begin(), irreps.end());
  return tiles;
}

LabelledTiles even_spin_tiles(std::int64_t orbitals, std::int64_t most) {
  return with_spins(even_extents(orbitals, (orbitals + most - 1) / most));
}

}  // namespace foretile
