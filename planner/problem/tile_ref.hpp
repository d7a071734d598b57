// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tile of one of the three matrices, or of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// The matrix, or the tensors, that a tile belongs to.
enum class Matrix : std::uint8_t {
  a,  ///< A
  b,  ///< B
  c,  ///< C
  t   ///< none of them: tensors of which tiles of A and B are made, and to which tiles of C are added
};

/// Names one nonzero tile.
struct TileRef {
  constexpr TileRef() = default;
  /// Tile `number` of matrix `of`.
  constexpr TileRef(Matrix of, TileId number) : matrix(of), id(number) {}

  Matrix matrix = Matrix::a;  ///< that it is a tile of
  TileId id = 0;              ///< its number within the matrix
  /// Same matrix and same number.
  bool operator==(const TileRef&) const = default;
};
static_assert(sizeof(TileRef) == 16);  // plans and tables hold millions

/// Of tiles of one matrix: spreads neighbouring and equally spaced ids over all bits, as tables of 2^n places
/// need (multiplicative hashing: Knuth, The Art of Computer Programming 3, section 6.4).
struct TileIdHash {
  /// The spread bits.
  std::size_t operator()(TileId id) const {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    const std::uint64_t spread = static_cast<std::uint64_t>(id) * golden;
    return spread ^ (spread >> 32);
  }
};

/// Hash of matrix and number.
struct TileRefHash {
  /// The hash of std::hash.
  std::size_t operator()(TileRef tile) const {
    return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(tile.id) * 4 +
                                      static_cast<std::uint64_t>(tile.matrix));
  }
};

/// Of A, B or C.
inline const Shape& shape_of(const Contraction& p, Matrix matrix) {
  return matrix == Matrix::a ? p.a : matrix == Matrix::b ? p.b : p.c;
}

/// Bytes of one tile, without gaps.
inline std::int64_t bytes_of(const Contraction& p, TileRef tile) {
  switch (tile.matrix) {
    case Matrix::a:
      return p.a_bytes(tile.id);
    case Matrix::b:
      return p.b_bytes(tile.id);
    case Matrix::c:
      return p.c_bytes(tile.id);
    case Matrix::t:
      break;
  }
  return p.t_bytes(tile.id);
}

/// Of all tiles that there are. Does not visit them where no tile of the matrix is zero.
double bytes_of_all(const Contraction& p, Matrix matrix);

}  // namespace foretile
