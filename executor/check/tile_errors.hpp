// SPDX-License-Identifier: BSD-3-Clause
// How far tiles of C are from the product that the seed gives: what both tests of it share.
#pragma once

#include <unordered_map>

#include "executor/tiles/tile_buffer.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

using TilesOfC = std::unordered_map<TileId, TileBuffer>;

/// The tile of C without gaps: as it is, in borrowed memory, or a copy.
TileBuffer gapless_c(const Contraction& contraction, TileId tile, const TileBuffer& found);

/// The relative error of tile ij is |found - expected| / S in the Frobenius norm, with
/// S^2 = |alpha|^2 sum over k of |A_ik|^2 |B_kj|^2 / k's extent, plus |beta C_ij|^2 of the initial C where it
/// is read. S is the tile's own norm: numbers of random sign (generate.hpp) make E |A_ik B_kj|^2 = |A_ik|^2
/// |B_kj|^2 / k, complex ones too. It does not depend on what was found. Differences that underflow explains
/// (longest sum x the smallest normal number per element) do not count. A tile to which nothing contributes
/// must have beta times its initial numbers, or be zero; else its error is infinite, as it is with a NaN or
/// an infinity.
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

/// What is known of a tile of C before it is looked at.
struct ExpectedTile {
  double product_square = 0;  ///< of the norm of the products' sum
  double terms = 0;           ///< real ones of the sum, one more per product and per factor that is not 1
  double flops = 0;

  /// A_ik B_kj
  void add(const Contraction& p, TileId a, TileId b, std::int32_t k);
};

/// `difference` is |found - expected| in the 2-norm.
double relative_error(const Contraction& p, TileId c, const ExpectedTile& expected, double difference);

/// Of a tile to which no product contributes.
double error_of_untouched(const Contraction& p, TileId c, const TileBuffer& found);

}  // namespace foretile
