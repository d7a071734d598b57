// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the elements of a problem's matrices are.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "base/precision.hpp"

namespace foretile {

/// Of a matrix: real numbers, or complex ones of two real numbers each, the real part first.
struct ElementType {
  Precision precision = Precision::f64;  ///< of each real number
  bool is_complex = false;               ///< two real numbers make one element

  /// Real numbers of an element: 1 or 2.
  constexpr std::int64_t reals() const { return is_complex ? 2 : 1; }
  /// Bytes of an element: 4, 8 or 16.
  constexpr std::int64_t bytes() const { return reals() * bytes_of(precision); }
  /// Of one multiplication and one addition of elements: complex ones take 4 and 4 of real numbers.
  constexpr double flops_per_term() const { return is_complex ? 8.0 : 2.0; }
  /// Both members are equal.
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "double", "single", "complex double" or "complex single".
inline std::string name_of(ElementType type) {
  return (type.is_complex ? "complex " : "") + std::string(name_of(type.precision));
}

/// Calls visit(x) with an x of the type: double, float, std::complex<double> or std::complex<float>.
template <class Visit>
decltype(auto) with_element(ElementType type, const Visit& visit) {
  if (type.precision == Precision::f64)
    return type.is_complex ? visit(std::complex<double>{}) : visit(double{});
  return type.is_complex ? visit(std::complex<float>{}) : visit(float{});
}

}  // namespace foretile
