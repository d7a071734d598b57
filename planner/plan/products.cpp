// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/products.hpp"

namespace foretile {

BlockProducts::BlockProducts(const Contraction& p, std::span<const std::int32_t> columns)
    : contraction_(&p),
      columns_(columns.begin(), columns.end()),
      b_start_(p.k.tiles() + 1, 0),
      c_slots_(static_cast<std::size_t>(p.m.tiles()) * columns.size(), -1) {
  for (const std::int32_t j : columns_) {
    for (const std::int32_t k : p.b.column(j)) ++b_start_[k + 1];
  }
  for (std::int32_t k = 0; k < p.k.tiles(); ++k) b_start_[k + 1] += b_start_[k];
  b_column_.resize(b_start_.back());
  b_ids_.resize(b_start_.back());
  std::vector<std::int32_t> next(b_start_.begin(), b_start_.end() - 1);
  for (std::size_t position = 0; position < columns_.size(); ++position) {
    const std::int32_t j = columns_[position];
    const auto rows = p.b.column(j);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const std::int32_t slot = next[rows[e]]++;
      b_column_[slot] = static_cast<std::int32_t>(position);
      b_ids_[slot] = p.b.column_ids(j)[e];
    }
  }
  number_c(p);
}

/// Row by row, as products of a tile of A meet them.
void BlockProducts::number_c(const Contraction& p) {
  std::vector<std::int32_t> next(p.m.tiles() + 1, 0);
  for (const std::int32_t j : columns_) {
    for (const std::int32_t i : p.c.column(j)) ++next[i + 1];
  }
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) next[i + 1] += next[i];
  c_ids_.resize(next.back());
  for (std::size_t position = 0; position < columns_.size(); ++position) {
    const auto rows = p.c.column(columns_[position]);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const std::int32_t slot = next[rows[e]]++;
      c_slots_[static_cast<std::size_t>(rows[e]) * columns_.size() + position] = slot;
      c_ids_[slot] = p.c.column_ids(columns_[position])[e];
    }
  }
}

bool BlockProducts::any(TileId a) const {
  const std::int32_t i = contraction_->a.row_of(a);
  const std::int32_t k = contraction_->a.column_of(a);
  const std::int32_t* const c_row = c_slots_.data() + static_cast<std::size_t>(i) * columns_.size();
  for (std::int32_t s = b_start_[k]; s < b_start_[k + 1]; ++s) {
    if (c_row[b_column_[s]] >= 0) return true;
  }
  return false;
}

double block_flops(const Contraction& contraction, const Block& block) {
  double flops = 0;
  for_each_product(contraction, block, [&](const Product& product) {
    flops += contraction.flops(product.i, product.j, product.k);
  });
  return flops;
}

}  // namespace foretile
