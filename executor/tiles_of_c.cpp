// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles_of_c.hpp"

#include <algorithm>

#include "executor/cpu/combine.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

std::vector<TileId> without_product(const Contraction& p, const std::vector<TileId>& own) {
  std::vector<char> has_product(static_cast<std::size_t>(p.c.nonzeros()), 0);
  const Shape products = symbolic_product(p.a, p.b, 0.0, &p.c);
  for (TileId id = 0; id < products.nonzeros(); ++id)
    has_product[static_cast<std::size_t>(*p.c.find(products.row_of(id), products.column_of(id)))] = 1;
  std::vector<TileId> tiles;
  for (const TileId tile : own) {
    if (!has_product[static_cast<std::size_t>(tile)]) tiles.push_back(tile);
  }
  return tiles;
}

TileBuffer untouched_tile(const Contraction& p, TileId tile, const TileStorage& tiles) {
  const TileExtents extents = extents_of(p, {Matrix::c, tile});
  TileBuffer numbers(extents.bytes());
  if (p.reads_c()) tiles.fill({Matrix::c, tile}, numbers.data());
  scale_initial(p, extents, extents.gapless_at(numbers.data()));
  return numbers;
}

void scale_initial(const Contraction& p, const TileExtents& extents, TileView tile) {
  for_each_piece(extents, tile, tile, [&](const std::byte*, std::byte* numbers, std::int64_t bytes) {
    if (!p.reads_c()) {
      std::fill_n(numbers, bytes, std::byte{0});
    } else {
      scale_tile(p.element(), p.beta, bytes / p.element_bytes(), numbers);
    }
  });
}

}  // namespace foretile
