// SPDX-License-Identifier: BSD-3-Clause
// How two tiles are multiplied, beside their sizes.
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
  ElementType type = {};
  Op a = Op::none, b = Op::none;
  std::complex<double> alpha = 1;

  friend bool operator==(const ProductForm&, const ProductForm&) = default;
};

}  // namespace foretile
