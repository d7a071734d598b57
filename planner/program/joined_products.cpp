// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/joined_products.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/products_of_tile.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

using Parts = std::vector<ProductPart>;

KShare::Tiles all_of(TileInterval tiles) {
  return {tiles.begin, tiles.end};
}

template <class TilesOf>
Tiling joined(const Parts& parts, Tiling Contraction::*index, const TilesOf& tiles_of) {
  std::vector<std::int64_t> sizes;
  double sum = 0;
  for (const ProductPart& part : parts) {
    const Tiling& tiling = part.product->*index;
    const KShare::Tiles tiles = tiles_of(part);
    for (std::int32_t tile = tiles.begin; tile < tiles.end; tile += tiles.stride) {
      sizes.push_back(tiling.size(tile));
      sum += static_cast<double>(sizes.back());
    }
    check_extent(sum);
  }
  return Tiling::from_sizes(sizes);
}

KShare::Tiles tiles_of_k(const ProductPart& part) {
  return part.piece.of_tiles(part.product->k.tiles());
}

/// Whether C of the part has them, and its products need them: by tile of A, B and C of the product.
std::array<std::vector<bool>, 3> needed(const ProductPart& part) {
  const Contraction& p = *part.product;
  const KShare::Tiles of_k = tiles_of_k(part);
  std::array<std::vector<bool>, 3> tiles;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
    tiles.at(static_cast<std::size_t>(matrix))
        .assign(static_cast<std::size_t>(shape_of(p, matrix).nonzeros()), false);
  for (std::int32_t row = part.rows.begin; row < part.rows.end; ++row) {
    const auto columns = p.c.row(row);
    for (std::size_t n = 0; n < columns.size(); ++n) {
      if (columns[n] < part.columns.begin || columns[n] >= part.columns.end) continue;
      const TileId c = p.c.first(row) + static_cast<TileId>(n);
      bool has_products = false;
      for_each_product_of(p, c, [&](TileId a, TileId b) {
        has_products = true;
        if (!of_k.has(p.a.column_of(a))) return;
        tiles[0][static_cast<std::size_t>(a)] = true;
        tiles[1][static_cast<std::size_t>(b)] = true;
        tiles[2][static_cast<std::size_t>(c)] = true;
      });
      if (!has_products && part.piece.number == 0) tiles[2][static_cast<std::size_t>(c)] = true;
    }
  }
  return tiles;
}

/// Where tiles of a share of an index stand in the joined matrix: those of earlier parts come before.
struct LinePlaces {
  std::int64_t before = 0;
  KShare::Tiles share = {};

  std::int32_t of(std::int32_t tile) const {
    return static_cast<std::int32_t>(share.place_of(tile) + before);
  }
};

/// Of the tiles of one matrix.
class ShapeJoiner {
 public:
  explicit ShapeJoiner(Matrix matrix) : matrix_(matrix) {}

  void add(const Contraction& product, const std::vector<bool>& needed, LinePlaces rows, LinePlaces columns) {
    const Shape& shape = shape_of(product, matrix_);
    for (TileId id = 0; id < shape.nonzeros(); ++id) {
      if (!needed[static_cast<std::size_t>(id)]) continue;
      entries_.push_back({rows.of(shape.row_of(id)), columns.of(shape.column_of(id)), shape.norm(id)});
      tiles.push_back(id);
    }
    check_tile_count(std::ssize(tiles), 1);
  }
  Shape shape(const Tiling& rows, const Tiling& columns) {
    return {rows.tiles(), columns.tiles(), std::move(entries_)};
  }

  std::vector<TileId> tiles;

 private:
  Matrix matrix_;
  std::vector<Shape::Entry> entries_;
};

std::vector<ProductOfK> joined_products_of_k(const Parts& parts) {
  if (std::ranges::all_of(parts, [](const ProductPart& part) { return part.product->products_of_k.empty(); }))
    return {};
  std::vector<ProductOfK> products;
  for (const ProductPart& part : parts) {
    const std::vector<ProductOfK>& own = part.product->products_of_k;
    const KShare::Tiles of_k = tiles_of_k(part);
    for (std::int32_t k = of_k.begin; k < of_k.end; k += of_k.stride)
      products.push_back(own.empty() ? ProductOfK{} : own[static_cast<std::size_t>(k)]);
  }
  return products;
}

}  // namespace

std::vector<RankShare> rank_shares(const Parts& parts) {
  std::vector<RankShare> shares;
  if (std::ranges::all_of(parts, [](const ProductPart& part) { return part.piece.of == 1; })) return shares;
  int set = -1;
  for (const ProductPart& part : parts) {
    if (part.piece.number == 0) ++set;
    shares.insert(shares.end(), static_cast<std::size_t>(part.rows.count()), {set, part.piece.of});
  }
  return shares;
}

JoinedProducts::JoinedProducts(const Parts& parts)
    : joined_{"joined",
              joined(parts, &Contraction::m, [](const auto& part) { return all_of(part.rows); }),
              joined(parts, &Contraction::n, [](const auto& part) { return all_of(part.columns); }),
              joined(parts, &Contraction::k, tiles_of_k),
              {},
              {},
              {}} {
  std::array<ShapeJoiner, 3> joiners{ShapeJoiner(Matrix::a), ShapeJoiner(Matrix::b), ShapeJoiner(Matrix::c)};
  std::int64_t m = 0, n = 0, k = 0;  // tiles of earlier parts
  for (const ProductPart& part : parts) {
    const auto tiles = needed(part);
    const LinePlaces rows{m, all_of(part.rows)}, columns{n, all_of(part.columns)}, of_k{k, tiles_of_k(part)};
    joiners[0].add(*part.product, tiles[0], rows, of_k);
    joiners[1].add(*part.product, tiles[1], of_k, columns);
    joiners[2].add(*part.product, tiles[2], rows, columns);
    for (std::size_t matrix = 0; matrix < 3; ++matrix)
      matrices_.at(matrix).first.push_back(std::ssize(joiners.at(matrix).tiles));
    m += part.rows.count();
    n += part.columns.count();
    k += tiles_of_k(part).count();
  }
  joined_.a = joiners[0].shape(joined_.m, joined_.k);
  joined_.b = joiners[1].shape(joined_.k, joined_.n);
  joined_.c = joiners[2].shape(joined_.m, joined_.n);
  joined_.products_of_k = joined_products_of_k(parts);
  for (std::size_t matrix = 0; matrix < 3; ++matrix)
    matrices_.at(matrix).tiles = std::move(joiners.at(matrix).tiles);
}

JoinedProducts::Tile JoinedProducts::at(TileRef tile) const {
  const OfMatrix& matrix = of(tile.matrix);
  const auto behind = std::ranges::upper_bound(matrix.first, tile.id);
  return {static_cast<std::size_t>(behind - matrix.first.begin()) - 1,
          matrix.tiles[static_cast<std::size_t>(tile.id)]};
}

}  // namespace foretile
