// SPDX-License-Identifier: BSD-3-Clause
// Freivalds' test of tiles of C: one rank's part, without messages.
#pragma once

#include <cstdint>

#include "executor/check/tile_errors.hpp"

namespace foretile {

struct FreivaldsOptions {
  int threads = 1;
  /// For the products op(B) x that are kept, at least one tile column's; A is generated again for each such
  /// share.
  std::int64_t bytes = std::int64_t{256} << 20;
};

/// Freivalds' test (R. Freivalds, Probabilistic machines can use less running time, IFIP 1977) of each tile:
/// C_ij X_j is compared with alpha times the sum over k of A_ik (B_kj X_j), A and B standing for op(A) and
/// op(B), plus beta times the initial C_ij X_j where it is read. X_j has two random real vectors, whose
/// numbers are uniform in [1/2, 3/2) with a random sign: a wrong number shows with at least half its size,
/// and two wrong columns cancel only where two pairs of them nearly agree. The error found estimates the one
/// of TileErrors. A, B and the initial C are made again from the seed, so a tile damaged on its way shows.
/// All is computed in double. Takes the flops of the products times two over the width of a tile of C, and
/// reads C once. Memory: `bytes`, and per thread two tiles (A, B or C) and two numbers per row of a tile row
/// of C for each of its tiles.
TileErrors freivalds(const Contraction& contraction, const TilesOfC& c, const FreivaldsOptions& options = {});

}  // namespace foretile
