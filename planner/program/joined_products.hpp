// SPDX-License-Identifier: BSD-3-Clause
// Several products of matrices as one: A, B and C are block-diagonal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/strategies/plan_context.hpp"

namespace foretile {

/// Tiles [begin, end) of an index.
struct TileInterval {
  std::int32_t begin = 0, end = 0;

  std::int32_t count() const { return end - begin; }
  friend bool operator==(const TileInterval&, const TileInterval&) = default;
};

/// A share of the tiles of K: every `of`-th from `number` on, or neighbours, about as many in each share.
struct KShare {
  int number = 0, of = 1;
  bool neighbours = false;

  /// Of so many tiles of K: those from begin to end, every `stride`-th.
  struct Tiles {
    std::int32_t begin = 0, end = 0, stride = 1;

    std::int32_t count() const { return begin < end ? (end - begin - 1) / stride + 1 : 0; }
    bool has(std::int32_t k) const { return k >= begin && k < end && (k - begin) % stride == 0; }
    /// Number among the tiles of the share.
    std::int32_t place_of(std::int32_t k) const { return (k - begin) / stride; }
  };
  Tiles of_tiles(std::int32_t tiles) const {
    if (!neighbours) return {number, tiles, of};
    const auto cut = [&](std::int64_t n) { return static_cast<std::int32_t>(n * tiles / of); };
    return {cut(number), cut(number + 1), 1};
  }
};

/// What some rows and columns of C of a product need, or a piece of their sums.
struct ProductPart {
  const Contraction* product = nullptr;
  TileInterval rows, columns;
  KShare piece = {};

  /// All of it.
  explicit ProductPart(const Contraction& all)
      : product(&all), rows{0, all.m.tiles()}, columns{0, all.n.tiles()} {}
  ProductPart(const Contraction& of, TileInterval some_rows, TileInterval some_columns, KShare of_sums = {})
      : product(&of), rows(some_rows), columns(some_columns), piece(of_sums) {}
};

/// Tiles are numbered part after part, in each as its product numbers them; those of A and B that no product
/// of the part needs are left out, and so are tiles of C that have products, but none in the piece of sums.
/// All have numbers in double precision and factors 1. Contraction::products_of_k are those of the parts,
/// operations none.
class JoinedProducts {
 public:
  /// At least one part. Throws InputError where there are too many tiles.
  explicit JoinedProducts(const std::vector<ProductPart>& parts);

  const Contraction& contraction() const { return joined_; }

  struct Tile {
    std::size_t part = 0;  ///< its number
    TileId tile = 0;       ///< its number in the product
  };
  Tile at(TileRef tile) const;
  /// The first tile of a part; of the number behind the last part, the count of all.
  TileId first(Matrix matrix, std::size_t part) const { return of(matrix).first[part]; }
  /// Numbers in the products of all tiles.
  const std::vector<TileId>& tiles(Matrix matrix) const { return of(matrix).tiles; }

 private:
  struct OfMatrix {
    std::vector<TileId> tiles;     // by joined number: that in the product
    std::vector<TileId> first{0};  // of each part, and behind them the count
  };
  const OfMatrix& of(Matrix matrix) const { return matrices_.at(static_cast<std::size_t>(matrix)); }

  Contraction joined_;
  std::array<OfMatrix, 3> matrices_;
};

/// PlanContext::shares of the joined contraction: the pieces of a product, which stand one behind the other,
/// share the ranks.
std::vector<RankShare> rank_shares(const std::vector<ProductPart>& parts);

}  // namespace foretile
