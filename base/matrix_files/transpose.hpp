// SPDX-License-Identifier: BSD-3-Clause
// Turns row-major elements into column-major ones and back.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/element_type.hpp"

namespace foretile {

/// to[j + i to_ld] = from[i + j from_ld] for i < rows and j < columns, without an assumption on alignment.
template <class Element>
void transpose_elements(const std::byte* from, std::int64_t from_ld, std::byte* to, std::int64_t to_ld,
                        std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t bytes = sizeof(Element);
  constexpr std::int64_t side = 16;  // both squares stay in the first cache
  for (std::int64_t j0 = 0; j0 < columns; j0 += side) {
    for (std::int64_t i0 = 0; i0 < rows; i0 += side) {
      for (std::int64_t j = j0; j < std::min(columns, j0 + side); ++j) {
        for (std::int64_t i = i0; i < std::min(rows, i0 + side); ++i)
          std::memcpy(to + (j + i * to_ld) * bytes, from + (i + j * from_ld) * bytes, sizeof(Element));
      }
    }
  }
}

/// The same for elements of `type`; leading dimensions in elements.
inline void transpose_block(ElementType type, const std::byte* from, std::int64_t from_ld, std::byte* to,
                            std::int64_t to_ld, std::int64_t rows, std::int64_t columns) {
  with_element(
      type, [&](auto zero) { transpose_elements<decltype(zero)>(from, from_ld, to, to_ld, rows, columns); });
}

}  // namespace foretile
