// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/error.hpp"

namespace foretile {

namespace {

void require_counts(const TileProduct& product) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const auto [least, largest] = std::minmax({product.m, product.n, product.k});
  if (least >= 0 && largest <= most) return;
  throw input_error("product of tiles", fmt::format("{} x {} x {}", product.m, product.n, product.k),
                    fmt::format("extents from 0 to {}", most), "use smaller tiles");
}

}  // namespace

SortedProducts sort_products(std::span<const TileProduct> products) {
  SortedProducts sorted;
  std::map<std::tuple<int, int, int, bool>, std::vector<const TileProduct*>> groups;
  for (const TileProduct& product : products) {
    require_counts(product);
    if (product.m == 0 || product.n == 0) continue;
    if (product.k > 0) {
      groups[{static_cast<int>(product.m), static_cast<int>(product.n), static_cast<int>(product.k),
              product.first}]
          .push_back(&product);
    } else if (product.first) {
      sorted.to_zero.push_back(&product);
    }
  }
  for (auto& [key, members] : groups) {
    const auto& [m, n, k, first] = key;
    sorted.groups.push_back({m, n, k, first, std::move(members)});
  }
  return sorted;
}

}  // namespace foretile
