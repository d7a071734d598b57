// SPDX-License-Identifier: BSD-3-Clause
// The number format of a problem's elements.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

enum class Precision : std::uint8_t {
  f64,  ///< IEEE double, 8 bytes: DGEMM
  f32   ///< IEEE single, 4 bytes: SGEMM
};

constexpr std::int64_t bytes_of(Precision precision) {
  return precision == Precision::f64 ? 8 : 4;
}

/// As in problem files: "double" or "single".
constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::f64 ? "double" : "single";
}

}  // namespace foretile
