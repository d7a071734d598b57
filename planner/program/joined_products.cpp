#include "planner/program/joined_products.hpp"

#include <algorithm>
#include <utility>

#include "planner/problem/kinds/limits.hpp"

namespace foretile {

namespace {

using Products = std::vector<const Contraction*>;

Tiling joined(const Products& products, Tiling Contraction::*index) {
  std::vector<std::int64_t> sizes;
  double sum = 0;
  for (const Contraction* product : products) {
    const Tiling& tiling = product->*index;
    sum += static_cast<double>(tiling.extent());
    for (std::int32_t t = 0; t < tiling.tiles(); ++t) sizes.push_back(tiling.size(t));
  }
  check_extent(sum);
  return Tiling::from_sizes(sizes);
}

Shape joined(const Products& products, Shape Contraction::*shape) {
  std::vector<Shape::Entry> entries;
  std::int64_t row = 0, column = 0, tiles = 0;
  for (const Contraction* product : products) {
    const Shape& one = product->*shape;
    tiles += one.nonzeros();
    check_tile_count(tiles, 1);
    for (TileId id = 0; id < one.nonzeros(); ++id)
      entries.push_back({static_cast<std::int32_t>(row + one.row_of(id)),
                         static_cast<std::int32_t>(column + one.column_of(id)), one.norm(id)});
    row += one.rows();
    column += one.columns();
  }
  return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), std::move(entries)};
}

template <class Count>
std::vector<TileId> firsts(const Products& products, const Count& count) {
  std::vector<TileId> first{0};
  for (const Contraction* product : products) first.push_back(first.back() + count(*product));
  return first;
}

}  // namespace

JoinedProducts::JoinedProducts(const Products& products)
    : joined_{"joined",
              joined(products, &Contraction::m),
              joined(products, &Contraction::n),
              joined(products, &Contraction::k),
              joined(products, &Contraction::a),
              joined(products, &Contraction::b),
              joined(products, &Contraction::c)},
      a_(firsts(products, [](const Contraction& p) { return p.a.nonzeros(); })),
      b_(firsts(products, [](const Contraction& p) { return p.b.nonzeros(); })),
      c_(firsts(products, [](const Contraction& p) { return p.c.nonzeros(); })),
      k_(firsts(products, [](const Contraction& p) { return TileId{p.k.tiles()}; })) {}

JoinedProducts::Part JoinedProducts::part(const std::vector<TileId>& first, TileId tile) {
  const auto behind = std::ranges::upper_bound(first, tile);
  const auto product = static_cast<std::size_t>(behind - first.begin()) - 1;
  return {product, tile - first[product]};
}

}  // namespace foretile
