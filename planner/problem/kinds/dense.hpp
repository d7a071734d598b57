// Problem kind "dense": every tile is nonzero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;

/// M x N x K elements. An index is cut by its own list of sizes when that is given (irregular tilings),
/// else into tiles of `tile`, the last one smaller where `tile` does not divide the extent.
struct DenseParameters {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t tile = 0;
  std::vector<std::int64_t> m_tiles, n_tiles, k_tiles;  ///< sizes that add up to m, n and k
  std::uint64_t seed = 1;                               ///< of the numbers in the tiles
  bool accumulate = false;                              ///< C += A B instead of C = A B
};

/// Rows and columns of a tile where nobody asks for another size: at most 1024, the largest extent in even
/// parts, 1500: 750. Larger tiles are a little faster on cores (docs/results/dense.md, "The size of tiles")
/// but leave some ranks with one product to begin with.
std::int64_t usual_tile(std::int64_t m, std::int64_t n, std::int64_t k);

/// Keys: m, n, k, tile, m_tiles, n_tiles, k_tiles, seed, accumulate.
DenseParameters read_dense(TableReader& table);
/// The text of a problem file.
std::string dense_problem_toml(const DenseParameters& parameters);
Contraction dense_contraction(const DenseParameters& parameters);

}  // namespace foretile
