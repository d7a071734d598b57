// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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

auto shape_key(const TileProduct& x) {
  return std::tuple(x.m, x.n, x.k, x.first);
}

/// They are in one list, so addresses tell which was given first.
bool comes_first(const TileProduct* x, const TileProduct* y) {
  return std::tuple(shape_key(*x), x) < std::tuple(shape_key(*y), y);
}

}  // namespace

void ProductSorter::sort(std::span<const TileProduct> products) {
  to_zero_.clear();
  order_.clear();
  groups_.clear();
  for (const TileProduct& product : products) {
    require_counts(product);
    if (product.m == 0 || product.n == 0) continue;
    if (product.k > 0) {
      order_.push_back(&product);
    } else if (product.first) {
      to_zero_.push_back(&product);
    }
  }
  if (!std::is_sorted(order_.begin(), order_.end(), comes_first))  // mostly they are of one shape
    std::sort(order_.begin(), order_.end(), comes_first);
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    const TileProduct& x = *order_[begin];
    while (end < order_.size() && shape_key(*order_[end]) == shape_key(x)) ++end;
    groups_.push_back({static_cast<int>(x.m), static_cast<int>(x.n), static_cast<int>(x.k), x.first,
                       std::span(order_).subspan(begin, end - begin)});
  }
}

}  // namespace foretile
