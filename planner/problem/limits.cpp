// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/limits.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/error.hpp"
#include "base/quantity.hpp"

namespace foretile {

void check_extent(double elements) {
  if (elements > static_cast<double>(max_extent))
    throw input_error("problem", fmt::format("{:.0f} elements along M, N or K", elements),
                      fmt::format("at most {}", max_extent), "take smaller extents");
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

namespace {

void check_bytes(const char* name, const Shape& shape, const Tiling& rows, const Tiling& columns,
                 std::int64_t element_bytes) {
  double bytes = 0;  // of one tile there may be more than 64 bits hold
  for (TileId tile = 0; tile < shape.nonzeros(); ++tile)
    bytes += static_cast<double>(element_bytes) * static_cast<double>(rows.size(shape.row_of(tile))) *
             static_cast<double>(columns.size(shape.column_of(tile)));
  if (bytes <= static_cast<double>(max_matrix_bytes)) return;
  throw input_error("problem", fmt::format("{} in the tiles of {}", quantity(bytes, "B"), name),
                    fmt::format("at most {}", spelled_bytes(max_matrix_bytes)), "take smaller extents");
}

}  // namespace

void check_bytes(const Contraction& p) {
  check_bytes("A", p.a, p.m, p.k, p.element_bytes());
  check_bytes("B", p.b, p.k, p.n, p.element_bytes());
  check_bytes("C", p.c, p.m, p.n, p.element_bytes());
}

}  // namespace foretile
