#include "planner/program/joined_products.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/products_of_tile.hpp"
#include "planner/problem/kinds/limits.hpp"

namespace foretile {

namespace {

using Parts = std::vector<ProductPart>;

template <class Interval>
Tiling joined(const Parts& parts, Tiling Contraction::*index, std::int64_t most, const Interval& interval) {
  std::vector<std::int64_t> sizes;
  double sum = 0;
  for (const ProductPart& part : parts) {
    const Tiling& tiling = part.product->*index;
    const TileInterval tiles = interval(part);
    for (std::int32_t tile = tiles.begin; tile < tiles.end; ++tile) {
      sizes.push_back(tiling.size(tile));
      sum += static_cast<double>(sizes.back());
    }
    check_extent(sum, most);
  }
  return Tiling::from_sizes(sizes);
}

TileInterval all_of_k(const ProductPart& part) {
  return {0, part.product->k.tiles()};
}

/// Whether C of the part has them, and its products need them: by tile of A, B and C of the product.
std::array<std::vector<bool>, 3> needed(const ProductPart& part) {
  const Contraction& p = *part.product;
  std::array<std::vector<bool>, 3> tiles;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
    tiles.at(static_cast<std::size_t>(matrix))
        .assign(static_cast<std::size_t>(shape_of(p, matrix).nonzeros()), false);
  for (std::int32_t row = part.rows.begin; row < part.rows.end; ++row) {
    const auto columns = p.c.row(row);
    for (std::size_t n = 0; n < columns.size(); ++n) {
      if (columns[n] < part.columns.begin || columns[n] >= part.columns.end) continue;
      const TileId c = p.c.first(row) + static_cast<TileId>(n);
      tiles[2][static_cast<std::size_t>(c)] = true;
      for_each_product_of(p, c, [&](TileId a, TileId b) {
        tiles[0][static_cast<std::size_t>(a)] = true;
        tiles[1][static_cast<std::size_t>(b)] = true;
      });
    }
  }
  return tiles;
}

/// Where rows and columns of a part stand in the joined matrix, less where they stand in their product.
struct Shift {
  std::int64_t rows = 0, columns = 0;
};

/// Of the tiles of one matrix.
class ShapeJoiner {
 public:
  explicit ShapeJoiner(Matrix matrix) : matrix_(matrix) {}

  void add(const Contraction& product, const std::vector<bool>& needed, Shift shift) {
    const Shape& shape = shape_of(product, matrix_);
    for (TileId id = 0; id < shape.nonzeros(); ++id) {
      if (!needed[static_cast<std::size_t>(id)]) continue;
      entries_.push_back({static_cast<std::int32_t>(shift.rows + shape.row_of(id)),
                          static_cast<std::int32_t>(shift.columns + shape.column_of(id)), shape.norm(id)});
      tiles.push_back(id);
      if (matrix_ != Matrix::c) in_place.push_back(own_bytes_of(product, {matrix_, id}) == 0);
    }
    check_tile_count(std::ssize(tiles), 1);
  }
  Shape shape(const Tiling& rows, const Tiling& columns) {
    return {rows.tiles(), columns.tiles(), std::move(entries_)};
  }

  std::vector<TileId> tiles;
  std::vector<bool> in_place;

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
    const auto end = products.size() + static_cast<std::size_t>(part.product->k.tiles());
    products.insert(products.end(), own.begin(), own.end());
    products.resize(end);
  }
  return products;
}

}  // namespace

JoinedProducts::JoinedProducts(const Parts& parts)
    : joined_{
          "joined",
          joined(parts, &Contraction::m, max_extent, [](const ProductPart& part) { return part.rows; }),
          joined(parts, &Contraction::n, max_extent, [](const ProductPart& part) { return part.columns; }),
          joined(parts, &Contraction::k, max_summed_extent, all_of_k),
          {},
          {},
          {}} {
  std::array<ShapeJoiner, 3> joiners{ShapeJoiner(Matrix::a), ShapeJoiner(Matrix::b), ShapeJoiner(Matrix::c)};
  std::int64_t m = 0, n = 0, k = 0;  // tiles of earlier parts
  for (const ProductPart& part : parts) {
    const auto tiles = needed(part);
    const std::int64_t rows = m - part.rows.begin, columns = n - part.columns.begin;
    joiners[0].add(*part.product, tiles[0], {rows, k});
    joiners[1].add(*part.product, tiles[1], {k, columns});
    joiners[2].add(*part.product, tiles[2], {rows, columns});
    for (std::size_t matrix = 0; matrix < 3; ++matrix)
      matrices_.at(matrix).first.push_back(std::ssize(joiners.at(matrix).tiles));
    m += part.rows.count();
    n += part.columns.count();
    k += part.product->k.tiles();
  }
  joined_.a = joiners[0].shape(joined_.m, joined_.k);
  joined_.b = joiners[1].shape(joined_.k, joined_.n);
  joined_.c = joiners[2].shape(joined_.m, joined_.n);
  joined_.products_of_k = joined_products_of_k(parts);
  joined_.in_place = {std::move(joiners[0].in_place), std::move(joiners[1].in_place)};
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
