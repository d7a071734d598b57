// A tile of one of the three matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "planner/problem/contraction.hpp"

namespace foretile {

enum class Matrix : std::uint8_t { a, b, c };

struct TileRef {
  Matrix matrix = Matrix::a;
  TileId id = 0;
  bool operator==(const TileRef&) const = default;
};

struct TileRefHash {
  std::size_t operator()(TileRef tile) const {
    return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(tile.id) * 4 +
                                      static_cast<std::uint64_t>(tile.matrix));
  }
};

inline const Shape& shape_of(const Contraction& p, Matrix matrix) {
  return matrix == Matrix::a ? p.a : matrix == Matrix::b ? p.b : p.c;
}

inline std::int64_t bytes_of(const Contraction& p, TileRef tile) {
  return tile.matrix == Matrix::a   ? p.a_bytes(tile.id)
         : tile.matrix == Matrix::b ? p.b_bytes(tile.id)
                                    : p.c_bytes(tile.id);
}

}  // namespace foretile
