// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/limits.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/error.hpp"

namespace foretile {

void check_extent(double elements, std::int64_t most) {
  if (elements > static_cast<double>(most))
    throw input_error("problem", fmt::format("{:.0f} elements along M, N or K", elements),
                      fmt::format("at most {}", most), "take smaller extents");
}

void check_tile_count(std::int64_t rows, std::int64_t columns) {
  if (columns > 0 && rows > max_tiles / columns) {
    throw input_error("problem", fmt::format("a matrix of {} x {} tiles", rows, columns),
                      fmt::format("at most {} tiles in a matrix", max_tiles), "take larger tiles");
  }
}

void check_product_count(const Shape& a, const Shape& b) {
  std::int64_t products = 0;
  for (std::int32_t k = 0; k < a.columns(); ++k) {
    products += std::ssize(a.column(k)) * std::ssize(b.row(k));
    if (products > max_products) {
      throw input_error("problem", "more products of tiles", fmt::format("at most {}", max_products),
                        "take larger tiles");
    }
  }
}

}  // namespace foretile
