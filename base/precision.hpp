// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The number format of a problem's elements.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

/// Real number format of a problem.
enum class Precision : std::uint8_t {
  f64,  ///< IEEE double, 8 bytes: DGEMM
  f32   ///< IEEE single, 4 bytes: SGEMM
};

/// Bytes of a real number.
constexpr std::int64_t bytes_of(Precision precision) {
  return precision == Precision::f64 ? 8 : 4;
}

/// As in problem files: "double" or "single".
constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::f64 ? "double" : "single";
}

}  // namespace foretile
