// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/joined_products.hpp"

#include <gtest/gtest.h>

namespace foretile::joined_products_test {
namespace {

/// Tiles of 2, 3 and 4 along M, 5 along N and K. A is full, B diagonal, so C has all tiles with one product
/// each.
Contraction three_by_two() {
  const Shape a = Shape::dense(3, 2), b(2, 2, {{0, 0}, {1, 1}});
  return {"p", Tiling::from_sizes({2, 3, 4}), Tiling::from_sizes({5, 5}), Tiling::from_sizes({5, 5}), a,
          b,   symbolic_product(a, b, 0)};
}

TEST(JoinedProducts, AreBlockDiagonal) {
  const Contraction p = three_by_two();
  const JoinedProducts joined({ProductPart(p), ProductPart(p)});
  const Contraction& all = joined.contraction();
  EXPECT_EQ(all.m.tiles(), 6);
  EXPECT_EQ(all.a.nonzeros(), 12);
  EXPECT_EQ(traits(all).gemms, 2 * traits(p).gemms);
  EXPECT_EQ(all.c.row_of(6), 3);
  EXPECT_EQ(all.c.column_of(6), 2);
  const JoinedProducts::Tile tile = joined.at({Matrix::c, 7});
  EXPECT_EQ(tile.part, 1U);
  EXPECT_EQ(tile.tile, 1);
}

/// Rows 1 and 2, column 1: of A the tiles (1, 1) and (2, 1), which are 3 and 5, of B the second, of C 3
/// and 5.
TEST(JoinedProducts, HaveTheTilesThatAPartNeeds) {
  const Contraction p = three_by_two();
  const JoinedProducts joined({ProductPart(p, {1, 3}, {1, 2})});
  EXPECT_EQ(joined.tiles(Matrix::a), (std::vector<TileId>{3, 5}));
  EXPECT_EQ(joined.tiles(Matrix::b), (std::vector<TileId>{1}));
  EXPECT_EQ(joined.tiles(Matrix::c), (std::vector<TileId>{3, 5}));
  EXPECT_EQ(joined.first(Matrix::c, 1), 2);
  EXPECT_EQ(joined.contraction().m.extent(), 3 + 4);
  EXPECT_EQ(joined.contraction().n.extent(), 5);
  EXPECT_EQ(traits(joined.contraction()).gemms, 2);
  EXPECT_EQ(traits(joined.contraction()).flops, 2 * 5 * 5 * (3 + 4));
}

/// Two pieces of the sums: tile 0 of K with column 0 of C, tile 1 with column 1.
TEST(JoinedProducts, HaveThePiecesOfSums) {
  const Contraction p = three_by_two();
  const TileInterval rows{0, 3}, columns{0, 2};
  const std::vector<ProductPart> parts{ProductPart(p, rows, columns, {0, 2}),
                                       ProductPart(p, rows, columns, {1, 2})};
  const JoinedProducts joined(parts);
  const Contraction& all = joined.contraction();
  EXPECT_EQ(joined.tiles(Matrix::a), (std::vector<TileId>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(joined.tiles(Matrix::b), (std::vector<TileId>{0, 1}));
  EXPECT_EQ(joined.tiles(Matrix::c), (std::vector<TileId>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(all.k.tiles(), 2);
  EXPECT_EQ(rank_shares(parts), (std::vector<RankShare>(6, {0, 2})));
  EXPECT_EQ(traits(all).gemms, traits(p).gemms);
  EXPECT_TRUE(rank_shares({ProductPart(p)}).empty());
}

/// Of five tiles of K the first of two pieces has two neighbours, the second three; of three pieces one, two,
/// two.
TEST(KShare, MayHaveNeighbours) {
  const auto range = [](int number, int of) {
    const KShare::Tiles tiles = KShare{number, of, true}.of_tiles(5);
    return std::pair(tiles.begin, tiles.end);
  };
  using Pair = std::pair<std::int32_t, std::int32_t>;
  EXPECT_EQ(range(0, 2), Pair(0, 2));
  EXPECT_EQ(range(1, 2), Pair(2, 5));
  EXPECT_EQ(range(0, 3), Pair(0, 1));
  EXPECT_EQ(range(1, 3), Pair(1, 3));
  EXPECT_EQ(range(2, 3), Pair(3, 5));
  for (const bool neighbours : {false, true}) {
    std::vector<int> found(5, 0);
    for (int number = 0; number < 3; ++number) {
      const KShare::Tiles tiles = KShare{number, 3, neighbours}.of_tiles(5);
      std::int32_t place = 0;
      for (std::int32_t k = 0; k < 5; ++k) {
        if (!tiles.has(k)) continue;
        ++found[static_cast<std::size_t>(k)];
        EXPECT_EQ(tiles.place_of(k), place++);
      }
      EXPECT_EQ(place, tiles.count());
    }
    EXPECT_EQ(found, std::vector<int>(5, 1));
  }
}

/// The same pieces as above, of neighbours.
TEST(JoinedProducts, HaveThePiecesOfNeighbours) {
  const Contraction p = three_by_two();
  const TileInterval rows{0, 3}, columns{0, 2};
  const JoinedProducts joined(
      {ProductPart(p, rows, columns, {0, 2, true}), ProductPart(p, rows, columns, {1, 2, true})});
  EXPECT_EQ(joined.tiles(Matrix::a), (std::vector<TileId>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(traits(joined.contraction()).gemms, traits(p).gemms);
}

/// Row 2 of A is empty, and C has it nevertheless: of three pieces the first has its tiles, and the last has
/// nothing, since K has two tiles.
TEST(JoinedProducts, HaveTilesOfCWithoutProductsOnce) {
  Contraction p = three_by_two();
  p.a = Shape(3, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const TileInterval rows{0, 3}, columns{0, 2};
  const JoinedProducts joined({ProductPart(p, rows, columns, {0, 3}), ProductPart(p, rows, columns, {1, 3}),
                               ProductPart(p, rows, columns, {2, 3})});
  EXPECT_EQ(joined.tiles(Matrix::c), (std::vector<TileId>{0, 2, 4, 5, 1, 3}));
  EXPECT_EQ(joined.first(Matrix::c, 2), joined.first(Matrix::c, 3));
  EXPECT_EQ(traits(joined.contraction()).gemms, 4);
}

/// 1.6e9 elements along K each: more than a matrix of a problem may have.
TEST(JoinedProducts, MaySumOverMoreThanAMatrixMay) {
  const std::int64_t k = 1'600'000'000;
  const Shape dense = Shape::dense(1, 1);
  const Contraction p{
      "p",   Tiling::from_sizes({1}),          Tiling::from_sizes({1}), Tiling::from_sizes({k}), dense,
      dense, symbolic_product(dense, dense, 0)};
  const JoinedProducts joined({ProductPart(p), ProductPart(p)});
  EXPECT_EQ(joined.contraction().k.extent(), 2 * k);
  EXPECT_EQ(traits(joined.contraction()).a_bytes, 2 * 8 * k);
}

/// The first has plain products of tiles of K, the second says otherwise of its last one.
TEST(JoinedProducts, KeepWhatPartsSayOfTheirTiles) {
  const Contraction plain = three_by_two();
  Contraction other = plain;
  other.products_of_k = {{}, {Op::transpose, Op::none, 2}};
  const JoinedProducts joined({ProductPart(plain), ProductPart(other)});
  const Contraction& all = joined.contraction();
  ASSERT_EQ(all.products_of_k.size(), 4U);
  EXPECT_TRUE(all.products_of_k[2].is_plain());
  EXPECT_EQ(all.products_of_k[3], other.products_of_k[1]);
  EXPECT_EQ(all.op_of_a(11), Op::transpose);
}

}  // namespace
}  // namespace foretile::joined_products_test
