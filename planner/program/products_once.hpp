// SPDX-License-Identifier: BSD-3-Clause
// Checks that parts of terms have together each product of tiles of each term.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "planner/tensor/fused_program.hpp"

namespace foretile {

class ProductsOnce {
 public:
  /// `program` must outlive this.
  explicit ProductsOnce(const FusedProgram& program);

  /// A tile of C of the term, or a piece of its sum, is computed from these tiles of A and B, by increasing
  /// k. All are numbered as the term does. Throws InputError for what is no product of it, and for one that
  /// was noted before.
  void note(std::size_t term, TileId c, const std::vector<std::pair<TileId, TileId>>& products);
  /// Throws InputError where a tile of C, or a product, was never noted.
  void check() const;

 private:
  struct OfTerm {
    std::vector<std::size_t> first;  // product of each tile of C, and behind them the count
    std::vector<bool> products, c_tiles;
  };
  const FusedProgram& program_;
  std::vector<OfTerm> terms_;
};

}  // namespace foretile
