#include "planner/plan/distribution.hpp"

namespace foretile {

Rank contiguous_owner(TileId tile, TileId tiles, int ranks) {
  const TileId least = tiles / ranks;
  const TileId with_more = tiles % ranks;
  const TileId theirs = with_more * (least + 1);
  return Rank::of(tile < theirs ? tile / (least + 1) : with_more + (tile - theirs) / least);
}

std::vector<bool> owned_by(const Contraction& contraction, const ProcessGrid& grid,
                           const Distribution& distribution, Matrix matrix, Rank rank) {
  const Shape& shape = shape_of(contraction, matrix);
  std::vector<bool> owned(shape.nonzeros(), false);
  // Tile row i of A and of C, and of B on one layer, lives in grid row i mod p.
  const bool by_rows = distribution.deal == Deal::cyclic && (matrix != Matrix::b || grid.r == 1);
  for (std::int32_t i = by_rows ? grid.row(rank) : 0; i < shape.rows(); i += by_rows ? grid.p : 1) {
    for (std::size_t e = 0; e < shape.row(i).size(); ++e) {
      const TileId id = shape.first(i) + static_cast<TileId>(e);
      owned[id] = owner_of(contraction, grid, distribution, {matrix, id}) == rank;
    }
  }
  return owned;
}

}  // namespace foretile
