#include "executor/initial_tile.hpp"

#include <algorithm>
#include <limits>

#include "executor/generate.hpp"

namespace foretile {

namespace {

Operand operand_of(Matrix matrix) {
  return matrix == Matrix::a ? Operand::a : matrix == Matrix::b ? Operand::b : Operand::c;
}

}  // namespace

double generated_norm(const Contraction& p, TileRef tile) {
  return std::min(shape_of(p, tile.matrix).norm(tile.id), std::numeric_limits<float>::max());
}

TileBuffer initial_tile(const Contraction& p, TileRef tile) {
  TileBuffer buffer(bytes_of(p, tile));
  generate_tile(buffer.elements(), tile_key(p.seed, operand_of(tile.matrix), tile.id),
                generated_norm(p, tile));
  return buffer;
}

}  // namespace foretile
