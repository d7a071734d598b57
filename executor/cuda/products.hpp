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
  std::span<const TileProduct* const> products;  ///< in the order given; into the caller's list
};

/// For launch after launch: it keeps its memory. Its answers are valid until the next call.
class ProductSorter {
 public:
  /// Leaves out products that change nothing. Throws InputError for an extent below 0 or above 2^31 - 1,
  /// which is as far as cuBLAS's usual functions count.
  void sort(std::span<const TileProduct> products);

  /// k = 0 and first: C becomes 0.
  std::span<const TileProduct* const> to_zero() const { return to_zero_; }
  /// Sorted by m, n, k and first; nothing in them is empty.
  std::span<const ProductGroup> groups() const { return groups_; }

 private:
  std::vector<const TileProduct*> to_zero_, order_;
  std::vector<ProductGroup> groups_;
};

}  // namespace foretile
