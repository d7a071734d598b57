// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Problem kind "dense": every tile is nonzero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;

/// M x N x K elements. An index is cut by its own list of sizes when that is given (irregular tilings), else
/// into tiles of its own size, else into tiles of `tile`, the last one smaller where that does not divide the
/// extent, else as usual_tiles() has it. 0: not given.
struct DenseParameters {
  std::int64_t m = 0,                 ///< rows of C
      n = 0,                          ///< columns of C
      k = 0;                          ///< inner index
  std::int64_t tile = 0;              ///< elements of a tile along all indices
  std::int64_t m_tile = 0,            ///< elements of a tile along M
      n_tile = 0,                     ///< along N
      k_tile = 0;                     ///< along K
  std::vector<std::int64_t> m_tiles,  ///< sizes that add up to m
      n_tiles,                        ///< sizes that add up to n
      k_tiles;                        ///< sizes that add up to k
  std::uint64_t seed = 1;             ///< of the numbers in the tiles
  bool accumulate = false;            ///< C += A B instead of C = A B
};

/// The cut indices.
struct Tilings {
  Tiling m,  ///< rows of C
      n,     ///< columns of C
      k;     ///< inner index
};

/// Extents of a tile along M, N and K.
struct TileSize {
  std::int64_t m = 0,  ///< rows, in elements
      n = 0,           ///< columns, in elements
      k = 0;           ///< inner index, in elements
};

/// Default tiles: at most 2048 rows of C; as many columns as make a tile of C of at most 2^21 elements, and
/// at most 2048; 1024 along K; all in an even number of parts, so that 2 x 2 ranks get the same. A side of C
/// of up to 2048 elements is cut into up to four parts of at least 128, a longer one into six at least, so
/// that all cores get work. Products
/// with tall tiles of C are faster on cores: BLAS copies both operands of every call, B once for all its rows
/// and A once for all its columns (docs/results/dense.md, "The size of tiles").
TileSize usual_tiles(std::int64_t m, std::int64_t n, std::int64_t k);

/// Reads m, n, k and what cuts them; seed and accumulate stay what they are.
void read_tilings(TableReader& table, DenseParameters& parameters);
/// The lines of these keys.
std::string tilings_toml(const DenseParameters& parameters);
/// Throws InputError when a matrix would have too many tiles.
Tilings tilings_of(const DenseParameters& parameters);

/// Keys: m, n, k, tile, m_tile, n_tile, k_tile, m_tiles, n_tiles, k_tiles, seed, accumulate.
DenseParameters read_dense(TableReader& table);
/// The text of a problem file.
std::string dense_problem_toml(const DenseParameters& parameters);
/// C = A B, or C += A B, of these sizes. Throws InputError for extents, tile sizes or numbers of tiles that
/// are out of range.
Contraction dense_contraction(const DenseParameters& parameters);

}  // namespace foretile
