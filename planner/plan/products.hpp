// SPDX-License-Identifier: BSD-3-Clause
// Enumerates the products of a block; planner, verifier and scheduler all go through here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// C_ij += A_ik B_kj. `b_slot` and `c_slot` number the tiles within the block, from 0 and without gaps.
struct Product {
  std::int32_t i, j, k;
  TileId a, b, c;
  std::int32_t b_slot, c_slot;
};

/// B's and C's tiles in a set of columns, indexed by row. Building it takes time linear in these tiles and in
/// the tile rows between the first and the last one that has any: few where parts are on a diagonal.
class BlockProducts {
 public:
  /// `columns` increasing. The contraction must outlive this object.
  BlockProducts(const Contraction& contraction, std::span<const std::int32_t> columns);

  /// Calls visit(Product) for each product of the A tile, columns increasing.
  template <class Visit>
  void for_each(TileId a, Visit visit) const {
    const std::int32_t i = contraction_->a.row_of(a);
    const std::int32_t k = contraction_->a.column_of(a);
    if (!rows_of_c_.include(i) || !rows_of_b_.include(k)) return;
    const std::int32_t* const c_row = row_of_c(i);
    const std::int32_t* const start = b_start_.data() + (k - rows_of_b_.begin);
    for (std::int32_t s = start[0]; s < start[1]; ++s) {
      const std::int32_t c_slot = c_row[b_column_[s]];
      if (c_slot < 0) continue;
      visit(Product{i, columns_[b_column_[s]], k, a, b_ids_[s], c_ids_[c_slot], s, c_slot});
    }
  }
  bool any(TileId a) const;

  std::int32_t b_slots() const { return static_cast<std::int32_t>(b_ids_.size()); }
  std::int32_t c_slots() const { return static_cast<std::int32_t>(c_ids_.size()); }
  TileId b_id(std::int32_t slot) const { return b_ids_[slot]; }
  TileId c_id(std::int32_t slot) const { return c_ids_[slot]; }

 private:
  /// Of tile rows, behind the last one of which is `end`.
  struct RowRange {
    std::int32_t begin = 0, end = 0;

    std::int32_t count() const { return end - begin; }
    bool include(std::int32_t row) const { return begin <= row && row < end; }
  };

  /// All rows with tiles in the columns.
  RowRange rows_in(const Shape& shape) const;
  void number_b(const Contraction& contraction);
  void number_c(const Contraction& contraction);
  const std::int32_t* row_of_c(std::int32_t i) const {
    return c_slots_.data() + static_cast<std::size_t>(i - rows_of_c_.begin) * columns_.size();
  }

  const Contraction* contraction_;
  std::vector<std::int32_t> columns_;
  RowRange rows_of_b_, rows_of_c_;
  std::vector<std::int32_t> b_start_;   // per tile row k of these, into the next two
  std::vector<std::int32_t> b_column_;  // position in columns_
  std::vector<TileId> b_ids_;
  std::vector<std::int32_t> c_slots_;  // tile row i of these x position in columns_; -1 where C is zero
  std::vector<TileId> c_ids_;
};

/// Calls visit(Product) for each product of the chunk. `products` are those of its block.
template <class Visit>
void for_each_product(const BlockProducts& products, const Chunk& chunk, Visit visit) {
  for (const TileId a : chunk.a) products.for_each(a, visit);
}

/// Calls visit(Product) for each product of the block.
template <class Visit>
void for_each_product(const Contraction& contraction, const Block& block, Visit visit) {
  const BlockProducts products(contraction, block.columns);
  for (const Chunk& chunk : block.chunks) for_each_product(products, chunk, visit);
}

/// Floating point operations of the block's products.
double block_flops(const Contraction& contraction, const Block& block);

/// Calls visit(Product) for each product of the device.
template <class Visit>
void for_each_product(const Contraction& contraction, const DevicePlan& device, Visit visit) {
  for (const Block& block : device.blocks) for_each_product(contraction, block, visit);
}

/// Calls visit(Product) for each product that the device may get: with an open pool any of the rank's.
template <class Visit>
void for_each_possible_product(const Contraction& contraction, const PlanFrame& frame, const RankPlan& rank,
                               std::size_t device, Visit visit) {
  for (std::size_t other = 0; other < rank.devices.size(); ++other) {
    if (other == device || frame.pool == Pool::open)
      for_each_product(contraction, rank.devices[other], visit);
  }
}

}  // namespace foretile
