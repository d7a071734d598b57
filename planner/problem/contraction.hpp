// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A contraction C = alpha op(A) op(B) + beta C after fusing its indices to M, N and K.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/product_form.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// Where the numbers of A or B come from.
enum class Source : std::uint8_t {
  given,      ///< in host memory of the rank that owns the tile, before the work starts
  generated,  ///< on demand: by the rank that uses the tile, when it uses it
  in_file     ///< B alone: in a file, read by the rank that uses the tile, when it uses it
};

/// Tiles do not travel: each rank generates or reads those that it uses, and keeps them as long as it needs
/// them.
constexpr bool comes_where_used(Source source) {
  return source == Source::generated || source == Source::in_file;
}

/// What problem files of before have for "generated".
inline constexpr std::string_view kFormerGenerated = "made";

/// As in problem files, which know the first two: "given", "generated", "in a file".
constexpr std::string_view name_of(Source source) {
  switch (source) {
    case Source::given:
      return "given";
    case Source::generated:
      return "generated";
    case Source::in_file:
      return "in a file";
  }
  return "unknown";
}

/// The sources of the two input matrices.
struct Sources {
  Source a = Source::given;  ///< of A: given or generated
  Source b = Source::given;  ///< of B

  /// Both are equal.
  friend bool operator==(const Sources&, const Sources&) = default;
};

/// How products with one tile of K are formed: as Contraction::a_op and b_op say for all, and times a factor.
struct ProductOfK {
  Op a = Op::none,    ///< op of the tiles of A
      b = Op::none;   ///< op of the tiles of B
  double factor = 1;  ///< of the product, beside alpha

  /// Whether it is A B, without operation and factor.
  bool is_plain() const { return a == Op::none && b == Op::none && factor == 1; }
  /// All members are equal.
  friend bool operator==(const ProductOfK&, const ProductOfK&) = default;
};

/// C = alpha op(A) op(B) + beta C: op(A) is M x K, op(B) is K x N, C is M x N. Shapes and tile ids are those
/// of op(A) and op(B): where the operation is not Op::none, tile (i, k) of op(A) is tile (k, i) of A, and
/// is in memory as A has it.
struct Contraction {
  std::string name;        ///< for reports
  Tiling m,                ///< rows of op(A) and C
      n,                   ///< columns of op(B) and C
      k;                   ///< columns of op(A), rows of op(B)
  Shape a,                 ///< nonzero tiles of op(A)
      b,                   ///< nonzero tiles of op(B)
      c;                   ///< tiles of C that are computed
  std::uint64_t seed = 0;  ///< of the numbers in the tiles of A, B and the initial C
  /// Not 0: C has initial values, in host memory where it is computed. 0: C is not read.
  std::complex<double> beta = 0;
  Precision precision = Precision::f64;  ///< of all three matrices
  Sources sources{};                     ///< of A and B
  std::complex<double> alpha = 1;        ///< factor of the product
  Op a_op = Op::none,                    ///< how A enters
      b_op = Op::none;                   ///< how B enters
  /// By tile of K, instead of a_op and b_op; empty: all are alike. No check of the numbers knows them.
  std::vector<ProductOfK> products_of_k = {};
  /// Elements of the tiles of tensors (Matrix::t), by number: not of the product, but of what comes before
  /// and behind it.
  std::vector<std::int64_t> t_elements = {};
  bool complex_elements = false;  ///< each of two numbers of that precision
  bool is_transposed = false;     ///< its C is the transpose of the C that was asked for: see transposed()

  /// Whether C has initial values.
  bool reads_c() const { return beta != 0.0; }
  /// Element type of all three matrices.
  ElementType element() const { return {precision, complex_elements}; }
  /// Bytes of an element.
  std::int64_t element_bytes() const { return element().bytes(); }
  /// Of products with that tile of K, where `all` is the form of all products.
  ProductForm form_of(std::int32_t k_tile, ProductForm all) const {
    if (products_of_k.empty()) return all;
    const ProductOfK& product = products_of_k[static_cast<std::size_t>(k_tile)];
    all.a = product.a;
    all.b = product.b;
    all.alpha *= product.factor;
    return all;
  }
  /// Of the products of tiles, with alpha.
  ProductForm product_form() const { return {element(), a_op, b_op, alpha}; }
  /// Operation of the column of A's tile.
  Op op_of_a(TileId id) const {
    return products_of_k.empty() ? a_op : products_of_k[static_cast<std::size_t>(a.column_of(id))].a;
  }
  /// Operation of the row of B's tile.
  Op op_of_b(TileId id) const {
    return products_of_k.empty() ? b_op : products_of_k[static_cast<std::size_t>(b.row_of(id))].b;
  }
  /// Bytes of a tile of a tensor.
  std::int64_t t_bytes(TileId id) const { return element_bytes() * t_elements[static_cast<std::size_t>(id)]; }
  /// Bytes of a tile of A.
  std::int64_t a_bytes(TileId id) const {
    return element_bytes() * m.size(a.row_of(id)) * k.size(a.column_of(id));
  }
  /// Bytes of a tile of B.
  std::int64_t b_bytes(TileId id) const {
    return element_bytes() * k.size(b.row_of(id)) * n.size(b.column_of(id));
  }
  /// Bytes of a tile of C.
  std::int64_t c_bytes(TileId id) const {
    return element_bytes() * m.size(c.row_of(id)) * n.size(c.column_of(id));
  }
  /// Flop of one multiplication and one addition: 2, for complex elements 8.
  double flops_per_term() const { return element().flops_per_term(); }
  /// Of the product A_ik B_kj: 2 m n k for real elements.
  double flops(std::int32_t i, std::int32_t j, std::int32_t k_tile) const {
    return flops_per_term() * static_cast<double>(m.size(i)) * static_cast<double>(n.size(j)) *
           static_cast<double>(k.size(k_tile));
  }
};

/// Computes C's shape: tile ij is kept when some k has both A_ik and B_kj nonzero with
/// |A_ik| |B_kj| >= threshold (Frobenius norms), and, when `allowed` is given, when ij is in it ("opt." in
/// RR-9365 Table 1). C's norms are upper bounds: the sum over k of |A_ik| |B_kj|.
Shape symbolic_product(const Shape& a, const Shape& b, double threshold, const Shape* allowed = nullptr);

/// What RR-9365 Table 1 says of a contraction.
struct Traits {
  std::int64_t m = 0,        ///< rows of C, in elements
      n = 0,                 ///< columns of C, in elements
      k = 0;                 ///< inner index, in elements
  std::int32_t m_tiles = 0,  ///< tile rows of C
      n_tiles = 0,           ///< tile columns of C
      k_tiles = 0;           ///< tiles of the inner index
  double flops = 0;          ///< of all products A_ik B_kj with ij in C
  std::int64_t gemms = 0;    ///< number of these products
  std::int64_t a_bytes = 0,  ///< of the nonzero tiles of A
      b_bytes = 0,           ///< of those of B
      c_bytes = 0;           ///< of those of C
  double a_density = 0,      ///< nonzero elements of A over all its elements
      b_density = 0,         ///< the same of B
      c_density = 0;         ///< the same of C
  double intensity = 0;      ///< flops per byte of A, B and C together
};

/// Looks at all tiles and products.
Traits traits(const Contraction& contraction);

/// C^T = alpha op(B)^T op(A)^T + beta C^T: what were A and B change places. Throws InputError for complex
/// elements and Op::conjugate_transpose, which would leave a conjugate that is not transposed.
Contraction transposed(const Contraction& contraction);

/// What simulator and executor can do so far: A given or generated, B in a file too. Throws InputError for
/// any other contraction.
void require_runnable(const Contraction& contraction);

}  // namespace foretile
