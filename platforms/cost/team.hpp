// SPDX-License-Identifier: BSD-3-Clause
// Several cores that share one product.
#pragma once

#include <cstdint>

#include "platforms/device_model.hpp"

namespace foretile {

/// C of a product in rows x columns parts, one for a core. Parts are as even as can be: part r of an extent e
/// in R parts is [r e / R, (r + 1) e / R), rounded down.
struct TeamParts {
  int rows = 1, columns = 1;

  int count() const { return rows * columns; }
};

/// For at most `cores` parts of an m x n tile of C, the largest as small as can be; of those that are equal,
/// the one whose part needs least of A and B. It depends on the arguments alone, so that sums of products
/// have the same bits on every machine. `cores` at least 1.
TeamParts team_parts(std::int64_t m, std::int64_t n, int cores);

/// The largest part of the product.
ProductSize largest_part(const ProductSize& product, int cores);

}  // namespace foretile
