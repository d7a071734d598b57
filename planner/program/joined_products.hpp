// Several products of matrices as one: A, B and C are block-diagonal.
#pragma once

#include <utility>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// Tiles are numbered product after product, in each as it numbers them. Operations are none, factors 1,
/// numbers in double precision.
class JoinedProducts {
 public:
  /// At least one. Throws InputError where there are too many tiles.
  explicit JoinedProducts(const std::vector<const Contraction*>& products);

  const Contraction& contraction() const { return joined_; }
  /// Contraction::placed: owners of all tiles of A, and of B.
  void place(std::vector<Rank> a, std::vector<Rank> b) { joined_.placed = {std::move(a), std::move(b)}; }

  struct Part {
    std::size_t product = 0;  ///< its number
    TileId tile = 0;          ///< its number there
  };
  Part a(TileId tile) const { return part(a_, tile); }
  Part b(TileId tile) const { return part(b_, tile); }
  Part c(TileId tile) const { return part(c_, tile); }
  /// The first tile of a product; of the number behind the last, the count of all.
  TileId first_a(std::size_t product) const { return a_[product]; }
  TileId first_b(std::size_t product) const { return b_[product]; }
  TileId first_c(std::size_t product) const { return c_[product]; }
  /// The product that a tile of K belongs to, and its number there.
  Part k(std::int32_t tile) const { return part(k_, tile); }

 private:
  static Part part(const std::vector<TileId>& first, TileId tile);

  Contraction joined_;
  std::vector<TileId> a_, b_, c_, k_;  // of each product the first tile, and behind them the count
};

}  // namespace foretile
