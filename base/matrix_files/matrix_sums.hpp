// SPDX-License-Identifier: BSD-3-Clause
// Sums over the elements of a matrix in a file: its norm, its nonzeros.
#pragma once

#include <complex>
#include <cstdint>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// |x|^2 with the range of long double: no square of a double leaves it.
inline long double square_of(std::complex<double> x) {
  const long double re = x.real(), im = x.imag();
  return re * re + im * im;
}

struct MatrixSums {
  long double squares = 0;      ///< of absolute values
  std::int64_t nonzeros = 0;    ///< elements that are not 0
  std::int64_t not_finite = 0;  ///< elements with infinity or "not a number" in them
  double largest = 0;           ///< greatest absolute value of the other elements

  void add(std::complex<double> x);
  void add(const MatrixSums& other);
  double norm() const;  ///< Frobenius
};

/// Reads the rectangle in panels of a few MiB.
MatrixSums sums_of_rectangle(const MatrixReader& matrix, const MatrixRectangle& rectangle);

/// Of all elements. Reads what is stored, and nothing twice.
MatrixSums sums_of(const MatrixReader& matrix);

}  // namespace foretile
