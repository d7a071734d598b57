// How far each tile of C is from the product that the seed gives: one rank's part, without messages.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "executor/tile_buffer.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

using TilesOfC = std::unordered_map<TileId, TileBuffer>;

/// The relative error of tile ij is |found - expected| / S in the Frobenius norm, with
/// S^2 = sum over k of |A_ik|^2 |B_kj|^2 / k's extent, plus |C_ij|^2 of the initial C where C += A B.
/// S is the tile's own norm: numbers of random sign (generate.hpp) make E |A_ik B_kj|^2 = |A_ik|^2 |B_kj|^2 /
/// k. It does not depend on what was found. Differences that underflow explains (longest sum x the smallest
/// normal number per element) do not count. A tile to which nothing contributes must have its initial bits,
/// or be zero; else its error is infinite, as it is with a NaN or an infinity.
struct TileErrors {
  double largest = -1;     ///< relative error; -1 without tiles
  TileId worst = -1;       ///< the tile that has it
  double longest_sum = 0;  ///< most terms of an element of these tiles, and the roundings of the check itself
  double flops = 0;        ///< of the products of these tiles

  void add(double error, TileId tile);
  void add(const TileErrors& other);
};

/// The largest relative error of a right product whose elements are sums of up to `terms` terms:
/// 6 u sqrt(terms), u = 2^-53 or 2^-24. With rounding errors that are independent, have mean zero and are at
/// most u times the partial sum (the model of N. J. Higham, T. Mary, A new approach to probabilistic rounding
/// error analysis, SIAM J. Sci. Comput. 41, 2019, theorem 2.4), the Azuma-Hoeffding inequality bounds a sum's
/// error by lambda u sqrt(terms) times its largest partial sum with probability 1 - 2 exp(-lambda^2 / 2).
/// Terms of random sign keep partial sums near S (the same authors, Sharper probabilistic backward error
/// analysis for basic linear algebra kernels with random data, SIAM J. Sci. Comput. 42, 2020). Roundings are
/// uniform rather than extreme, so lambda = 6 is ten standard deviations of one element.
double allowed_error(Precision precision, double terms);

struct FreivaldsOptions {
  int threads = 1;
  /// For the products B x that are kept, at least one tile column's; A is made anew for each such share.
  std::int64_t bytes = std::int64_t{256} << 20;
};

/// Freivalds' test (R. Freivalds, Probabilistic machines can use less running time, IFIP 1977) of each tile:
/// C_ij X_j is compared with the sum over k of A_ik (B_kj X_j), plus the initial C_ij X_j where C += A B. X_j
/// has two random vectors, whose numbers are uniform in [1/2, 3/2) with a random sign: a wrong number shows
/// with at least half its size, and two wrong columns cancel only where two pairs of them nearly agree. The
/// error found estimates the one defined above. A, B and the initial C are made anew from the seed, so a tile
/// damaged on its way shows. All is computed in double. Takes the flops of the products times two over the
/// width of a tile of C, and reads C once. Memory: `bytes`, and per thread two tiles (A, B or C) and two
/// numbers per row of a tile row of C for each of its tiles.
TileErrors freivalds(const Contraction& contraction, const TilesOfC& c, const FreivaldsOptions& options = {});

/// Compares each element with the sum of products in extended precision. Takes about 5 s per Gflop.
TileErrors compare_with_reference(const Contraction& contraction, const TilesOfC& c);

}  // namespace foretile
