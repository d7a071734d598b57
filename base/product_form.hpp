// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How two tiles are multiplied, beside their sizes.
#pragma once

#include <complex>
#include <cstdint>

#include "base/element_type.hpp"

namespace foretile {

/// How an operand enters the product, as in BLAS.
enum class Op : std::uint8_t {
  none,                ///< N: as it is
  transpose,           ///< T
  conjugate_transpose  ///< C
};

/// C += alpha op(A) op(B), or C = alpha op(A) op(B).
struct ProductForm {
  ElementType type = {};           ///< of all three tiles
  Op a = Op::none,                 ///< op of A
      b = Op::none;                ///< op of B
  std::complex<double> alpha = 1;  ///< factor of the product; its imaginary part is 0 for real elements

  /// All members are equal.
  friend bool operator==(const ProductForm&, const ProductForm&) = default;
};

}  // namespace foretile
