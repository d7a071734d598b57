// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/initial_tile.hpp"

#include <algorithm>
#include <limits>

#include "executor/tiles/generate.hpp"

namespace foretile {

namespace {

Operand operand_of(Matrix matrix) {
  return matrix == Matrix::a ? Operand::a : matrix == Matrix::b ? Operand::b : Operand::c;
}

}  // namespace

/// The numbers of a tile with a single element are below sqrt(3) norm.
double generated_norm(const Contraction& p, TileRef tile) {
  const double largest = std::numeric_limits<float>::max();
  return std::min<double>(shape_of(p, tile.matrix).norm(tile.id),
                          p.precision == Precision::f64 ? largest : largest / 2);
}

void make_tile(const Contraction& p, TileRef tile, std::byte* to) {
  generate_tile(p.precision, to, bytes_of(p, tile) / bytes_of(p.precision),
                tile_key(p.seed, operand_of(tile.matrix), tile.id), generated_norm(p, tile));
}

void make_part_of_b(const Contraction& p, const GeneratedPart& part, std::byte* tile) {
  const TileRef whole{Matrix::b, part.tile};
  const std::int64_t reals = p.element().reals();
  generate_part(p.precision, tile,
                {p.b_bytes(part.tile) / bytes_of(p.precision), reals * part.first, reals * part.elements},
                tile_key(p.seed, Operand::b, part.tile), generated_norm(p, whole));
}

TileBuffer initial_tile(const Contraction& p, TileRef tile, std::pmr::memory_resource* memory) {
  TileBuffer buffer(bytes_of(p, tile), memory);
  make_tile(p, tile, buffer.data());
  return buffer;
}

}  // namespace foretile
