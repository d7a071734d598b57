// SPDX-License-Identifier: BSD-3-Clause
// Permutations of the axes of blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace foretile {

inline constexpr std::size_t kMostTensorIndices = 8;

/// How a block or a matrix is made from another one. Axes are numbered from the fastest one.
struct AxisOrder {
  std::array<std::uint8_t, kMostTensorIndices>
      from{};  ///< axis p of the new one is axis from[p] of the old one
  std::uint8_t axes = 0;
  bool negative = false;  ///< and its sign changes

  bool is_identity() const {
    for (std::uint8_t p = 0; p < axes; ++p) {
      if (from.at(p) != p) return false;
    }
    return true;
  }
  friend bool operator==(const AxisOrder&, const AxisOrder&) = default;
};

}  // namespace foretile
