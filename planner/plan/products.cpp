// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/products.hpp"

#include <algorithm>
#include <numeric>

namespace foretile {

BlockProducts::BlockProducts(const Contraction& p, std::span<const std::int32_t> columns)
    : contraction_(&p),
      columns_(columns.begin(), columns.end()),
      rows_of_b_(rows_in(p.b)),
      rows_of_c_(rows_in(p.c)) {
  number_b(p);
  number_c(p);
}

BlockProducts::RowRange BlockProducts::rows_in(const Shape& shape) const {
  RowRange range{shape.rows(), 0};
  for (const std::int32_t j : columns_) {
    const auto rows = shape.column(j);
    if (rows.empty()) continue;
    range.begin = std::min(range.begin, rows.front());
    range.end = std::max(range.end, rows.back() + 1);
  }
  return range.end == 0 ? RowRange{} : range;
}

void BlockProducts::number_b(const Contraction& p) {
  b_start_.assign(static_cast<std::size_t>(rows_of_b_.count()) + 1, 0);
  for (const std::int32_t j : columns_) {
    for (const std::int32_t k : p.b.column(j)) ++b_start_[k - rows_of_b_.begin + 1];
  }
  std::partial_sum(b_start_.begin(), b_start_.end(), b_start_.begin());
  b_column_.resize(b_start_.back());
  b_ids_.resize(b_start_.back());
  std::vector<std::int32_t> next(b_start_.begin(), b_start_.end() - 1);
  for (std::size_t position = 0; position < columns_.size(); ++position) {
    const std::int32_t j = columns_[position];
    const auto rows = p.b.column(j);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const std::int32_t slot = next[rows[e] - rows_of_b_.begin]++;
      b_column_[slot] = static_cast<std::int32_t>(position);
      b_ids_[slot] = p.b.column_ids(j)[e];
    }
  }
}

/// Row by row, as products of a tile of A meet them.
void BlockProducts::number_c(const Contraction& p) {
  const std::int32_t first = rows_of_c_.begin;
  c_slots_.assign(static_cast<std::size_t>(rows_of_c_.count()) * columns_.size(), -1);
  std::vector<std::int32_t> next(static_cast<std::size_t>(rows_of_c_.count()) + 1, 0);
  for (const std::int32_t j : columns_) {
    for (const std::int32_t i : p.c.column(j)) ++next[i - first + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  c_ids_.resize(next.back());
  for (std::size_t position = 0; position < columns_.size(); ++position) {
    const auto rows = p.c.column(columns_[position]);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const std::int32_t slot = next[rows[e] - first]++;
      c_slots_[static_cast<std::size_t>(rows[e] - first) * columns_.size() + position] = slot;
      c_ids_[slot] = p.c.column_ids(columns_[position])[e];
    }
  }
}

bool BlockProducts::any(TileId a) const {
  const std::int32_t i = contraction_->a.row_of(a);
  const std::int32_t k = contraction_->a.column_of(a);
  if (!rows_of_c_.include(i) || !rows_of_b_.include(k)) return false;
  const std::int32_t* const c_row = row_of_c(i);
  const std::int32_t* const start = b_start_.data() + (k - rows_of_b_.begin);
  return std::any_of(b_column_.begin() + start[0], b_column_.begin() + start[1],
                     [&](std::int32_t column) { return c_row[column] >= 0; });
}

double block_flops(const Contraction& contraction, const Block& block) {
  double flops = 0;
  for_each_product(contraction, block, [&](const Product& product) {
    flops += contraction.flops(product.i, product.j, product.k);
  });
  return flops;
}

}  // namespace foretile
