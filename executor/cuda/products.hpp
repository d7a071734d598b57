// SPDX-License-Identifier: BSD-3-Clause
// Sorts the products of one launch by what cuBLAS can do at once. Knows no CUDA.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Products of one shape, which all begin their C or all add to it.
struct ProductGroup {
  int m = 0, n = 0, k = 0;
  bool first = false;
  std::vector<const TileProduct*> products;  ///< in the order given; into the caller's list
};

struct SortedProducts {
  std::vector<const TileProduct*> to_zero;  ///< k = 0 and first: C becomes 0
  std::vector<ProductGroup> groups;         ///< sorted by m, n, k and first; nothing in them is empty
};

/// Leaves out products that change nothing. Throws InputError for an extent below 0 or above 2^31 - 1, which
/// is as far as cuBLAS's usual functions count.
SortedProducts sort_products(std::span<const TileProduct> products);

}  // namespace foretile
