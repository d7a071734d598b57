// A contraction C += A B after fusing its indices to M, N and K.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/precision.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/sources.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// A is M x K, B is K x N, C is M x N.
struct Contraction {
  std::string name;
  Tiling m, n, k;
  Shape a, b, c;           ///< `c` holds the tiles that are computed
  std::uint64_t seed = 0;  ///< of the numbers in the tiles of A, B and the initial C
  bool accumulate =
      false;  ///< C += A B: C has initial values, in host memory where it is computed. Else C = A B

  Precision precision = Precision::f64;
  Sources sources{};  ///< of A and B

  std::int64_t element_bytes() const { return bytes_of(precision); }
  std::int64_t a_bytes(TileId id) const {
    return element_bytes() * m.size(a.row_of(id)) * k.size(a.column_of(id));
  }
  std::int64_t b_bytes(TileId id) const {
    return element_bytes() * k.size(b.row_of(id)) * n.size(b.column_of(id));
  }
  std::int64_t c_bytes(TileId id) const {
    return element_bytes() * m.size(c.row_of(id)) * n.size(c.column_of(id));
  }
  /// 2 m n k of the product A_ik B_kj.
  double flops(std::int32_t i, std::int32_t j, std::int32_t k_tile) const {
    return 2.0 * static_cast<double>(m.size(i)) * static_cast<double>(n.size(j)) *
           static_cast<double>(k.size(k_tile));
  }
};

/// Computes C's shape: tile ij is kept when some k has both A_ik and B_kj nonzero with
/// |A_ik| |B_kj| >= threshold (Frobenius norms), and, when `allowed` is given, when ij is in it ("opt." in
/// RR-9365 Table 1). C's norms are upper bounds: the sum over k of |A_ik| |B_kj|.
Shape symbolic_product(const Shape& a, const Shape& b, double threshold, const Shape* allowed = nullptr);

/// What RR-9365 Table 1 says of a contraction.
struct Traits {
  std::int64_t m = 0, n = 0, k = 0;  ///< extents in elements
  std::int32_t m_tiles = 0, n_tiles = 0, k_tiles = 0;
  double flops = 0;                                    ///< of all products A_ik B_kj with ij in C
  std::int64_t gemms = 0;                              ///< number of these products
  std::int64_t a_bytes = 0, b_bytes = 0, c_bytes = 0;  ///< of the nonzero tiles
  double a_density = 0, b_density = 0, c_density = 0;  ///< nonzero elements over all elements
  double intensity = 0;                                ///< flops per byte of A, B and C together
};

Traits traits(const Contraction& contraction);

}  // namespace foretile
