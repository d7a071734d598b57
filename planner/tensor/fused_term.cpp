// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/fused_term.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

std::size_t place_in(const IndexList& list, std::size_t index) {
  return static_cast<std::size_t>(std::ranges::find(list, index) - list.begin());
}

/// For tuples with many indices of large tiles: a tile of more than max_tile_extent elements is refused.
Tiling tiling_of(const std::vector<TileTuple>& tuples, const TileRanges& ranges) {
  std::vector<std::int64_t> sizes;
  double sum = 0;
  for (const TileTuple& tuple : tuples) {
    double extent = 1;
    for (std::size_t p = 0; p < tuple.size(); ++p)
      extent *= static_cast<double>(ranges[p]->extents[static_cast<std::size_t>(tuple[p])]);
    sum += extent;
    if (extent > static_cast<double>(max_tile_extent))
      throw input_error("a tile of fused indices", fmt::format("{:.0f} elements along M, N or K", extent),
                        fmt::format("at most {}", max_tile_extent), "take smaller tiles");
    check_extent(sum);
    sizes.push_back(elements_of(tuple, ranges));
  }
  return Tiling::from_sizes(sizes);
}

double factorial(std::size_t n) {
  double product = 1;
  for (std::size_t i = 2; i <= n; ++i) product *= static_cast<double>(i);
  return product;
}

/// How many different orders the tiles of a group have, which do not decrease.
double orders_of(const TileTuple& tuple, const IndexList& group) {
  double orders = factorial(group.size());
  for (std::size_t begin = 0; begin < group.size();) {
    std::size_t end = begin + 1;
    while (end < group.size() && tuple[group[end]] == tuple[group[begin]]) ++end;
    orders /= factorial(end - begin);
    begin = end;
  }
  return orders;
}

}  // namespace

FusedTerm::FusedTerm(const TensorTerm& term, const Fusion& fusion,
                     const std::array<const TensorBlocks*, 2>& operands,
                     const std::vector<LabelledTiles>& tiles, bool closed_shell, double threshold,
                     const TensorBlocks* result)
    : term_(term),
      fusion_(fusion),
      blocks_{operands.at(fusion.operand[0]), operands.at(fusion.operand[1])},
      contraction_{"term", Tiling({0, 1}), Tiling({0, 1}), Tiling({0, 1}), {}, {}, {}} {
  const auto of_result = result_groups(term), of_sum = summed_groups(term);
  sides_ = {side_of(fusion_.m, of_result, tiles), side_of(fusion_.n, of_result, tiles),
            side_of(fusion_.k, of_sum, tiles)};
  const std::array<const IndexedTensor*, 3> tensors{&term.operands[fusion.operand[0]],
                                                    &term.operands[fusion.operand[1]], &term.result};
  const std::array<std::array<const IndexList*, 2>, 3> orders{
      {{&fusion_.m, &fusion_.k}, {&fusion_.k, &fusion_.n}, {&fusion_.m, &fusion_.n}}};
  for (std::size_t t = 0; t < 3; ++t) origins_.at(t) = origins(*tensors.at(t));
  for (std::size_t t = 0; t < 2; ++t) {
    for (const IndexList* part : orders.at(t)) {
      for (const std::size_t index : *part)
        axes_.at(t).push_back(static_cast<std::uint8_t>(place_in(tensors.at(t)->indices, index)));
    }
  }
  for (const std::size_t index : term.result.indices) {
    const std::size_t in_m = place_in(fusion_.m, index);
    result_axes_.push_back(static_cast<std::uint8_t>(
        in_m < fusion_.m.size() ? in_m : fusion_.m.size() + place_in(fusion_.n, index)));
  }
  set_multiplicities(positions_of(of_sum, fusion_.k));
  contraction_.m = tiling_of(sides_[0].tuples, sides_[0].ranges);
  contraction_.n = tiling_of(sides_[1].tuples, sides_[1].ranges);
  contraction_.k = tiling_of(sides_[2].tuples, sides_[2].ranges);
  contraction_.a = operand_shape(0);
  contraction_.b = operand_shape(1);
  check_product_count(contraction_.a, contraction_.b);
  contraction_.c = result_shape(threshold, closed_shell, result);
  contraction_.a_op = fusion_.is_transposed[0] ? Op::transpose : Op::none;
  contraction_.b_op = fusion_.is_transposed[1] ? Op::transpose : Op::none;
}

FusedTerm::Side FusedTerm::side_of(const IndexList& indices, const std::vector<IndexList>& groups,
                                   const std::vector<LabelledTiles>& tiles) const {
  IndexList spaces;
  for (const std::size_t index : indices) spaces.push_back(term_.spaces[index]);
  const TileRanges ranges = ranges_of(spaces, tiles);
  std::vector<TileTuple> tuples = ordered_tuples(ranges, positions_of(groups, indices), term_.result.name);
  // Tiles with spins stay as the Tensor Contraction Engine has them.
  if (std::ranges::none_of(ranges, &LabelledTiles::with_spin)) sort_by_nearness(tuples);
  return {ranges, std::move(tuples)};
}

std::vector<FusedTerm::From> FusedTerm::origins(const IndexedTensor& tensor) const {
  const std::array<const IndexList*, 3> sides{&fusion_.m, &fusion_.n, &fusion_.k};
  std::vector<From> from;
  for (const std::size_t index : tensor.indices) {
    std::size_t side = 0;
    while (place_in(*sides.at(side), index) == sides.at(side)->size()) ++side;
    from.push_back({side, place_in(*sides.at(side), index)});
  }
  return from;
}

TileTuple FusedTerm::gathered(const std::vector<From>& origins, std::int32_t m, std::int32_t n,
                              std::int32_t k) const {
  const std::array<std::int32_t, 3> at{m, n, k};
  TileTuple tuple;
  tuple.reserve(origins.size());
  for (const From& from : origins)
    tuple.push_back(sides_.at(from.side).tuples[static_cast<std::size_t>(at.at(from.side))][from.place]);
  return tuple;
}

Shape FusedTerm::operand_shape(std::size_t matrix) const {
  const std::size_t other = matrix == 0 ? 0 : 1;  // M or N
  const auto others = static_cast<std::int32_t>(sides_.at(other).tuples.size());
  const auto ks = static_cast<std::int32_t>(sides_[2].tuples.size());
  check_tile_count(others, ks);
  std::vector<Shape::Entry> entries;
  for (std::int32_t i = 0; i < others; ++i) {
    for (std::int32_t k = 0; k < ks; ++k) {
      const auto place = blocks_.at(matrix)->find(gathered(origins_.at(matrix), i, i, k));
      if (!place) continue;
      const float norm = blocks_.at(matrix)->norm(place->block);
      entries.push_back(matrix == 0 ? Shape::Entry{i, k, norm} : Shape::Entry{k, i, norm});
    }
  }
  return matrix == 0 ? Shape(others, ks, std::move(entries)) : Shape(ks, others, std::move(entries));
}

Shape FusedTerm::result_shape(double threshold, bool closed_shell, const TensorBlocks* result) const {
  check_tile_count(contraction_.a.rows(), contraction_.b.columns());
  Shape all = symbolic_product(contraction_.a, contraction_.b, threshold);
  const bool stores_some = result && result->stores_some();
  if (!closed_shell && !stores_some) return all;
  const auto is_beta = [](const TileTuple& tuple, const TileRanges& ranges) {
    return tuple.empty() || is_beta_alone(tuple, ranges);
  };
  const auto is_kept = [&](std::int32_t row, std::int32_t column) {
    if (stores_some && !result->stores(gathered(origins_[2], row, column, 0))) return false;
    const TileTuple& m = sides_[0].tuples[static_cast<std::size_t>(row)];
    const TileTuple& n = sides_[1].tuples[static_cast<std::size_t>(column)];
    const bool none = m.empty() && n.empty();
    return !closed_shell || none || !is_beta(m, sides_[0].ranges) || !is_beta(n, sides_[1].ranges);
  };
  std::vector<Shape::Entry> kept;
  for (TileId id = 0; id < all.nonzeros(); ++id) {
    if (is_kept(all.row_of(id), all.column_of(id)))
      kept.push_back({all.row_of(id), all.column_of(id), all.norm(id)});
  }
  return {all.rows(), all.columns(), std::move(kept)};
}

void FusedTerm::set_multiplicities(const std::vector<IndexList>& groups) {
  for (const TileTuple& tuple : sides_[2].tuples) {
    double multiplicity = 1;
    for (const IndexList& group : groups) multiplicity *= orders_of(tuple, group);
    multiplicity_.push_back(multiplicity);
  }
}

BlockPlace FusedTerm::found(std::size_t matrix, TileId tile) const {
  const Shape& shape = matrix == 0 ? contraction_.a : contraction_.b;
  const std::int32_t row = shape.row_of(tile), column = shape.column_of(tile);
  const TileTuple tiles =
      matrix == 0 ? gathered(origins_[0], row, row, column) : gathered(origins_[1], column, column, row);
  return *blocks_.at(matrix)->find(tiles);
}

BlockPlace FusedTerm::operand_tile(std::size_t matrix, TileId tile) const {
  BlockPlace place = found(matrix, tile);
  const AxisOrder stored = place.order;
  for (std::uint8_t axis = 0; axis < stored.axes; ++axis)
    place.order.from.at(axis) = stored.from.at(axes_.at(matrix)[axis]);
  return place;
}

BlockPlace FusedTerm::stored_tile(std::size_t matrix, TileId tile) const {
  const BlockPlace place = operand_tile(matrix, tile);
  if (!fusion_.is_transposed.at(matrix)) return place;
  const std::size_t rows = matrix == 0 ? fusion_.m.size() : fusion_.k.size();
  BlockPlace turned = place;
  for (std::size_t axis = 0; axis < place.order.axes; ++axis)
    turned.order.from.at(axis) = place.order.from.at((axis + rows) % place.order.axes);
  return turned;
}

bool FusedTerm::is_as_stored(std::size_t matrix, TileId tile) const {
  return fusion_.fits.at(matrix) && found(matrix, tile).order.is_identity();
}

TileTuple FusedTerm::result_tiles(TileId c_tile) const {
  return gathered(origins_[2], contraction_.c.row_of(c_tile), contraction_.c.column_of(c_tile), 0);
}

namespace {

/// All orders of the positions of `group` in which those of one class keep their order; all others stay.
std::vector<AxisOrder> shuffles_of(const IndexList& group, const std::vector<std::size_t>& class_of,
                                   std::size_t positions) {
  std::vector<AxisOrder> all;
  IndexList taken(group.size());
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = i;
  do {
    AxisOrder order;
    order.axes = static_cast<std::uint8_t>(positions);
    for (std::uint8_t p = 0; p < order.axes; ++p) order.from.at(p) = p;
    bool keeps = true;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      order.from.at(group[i]) = static_cast<std::uint8_t>(group[taken[i]]);
      for (std::size_t j = i + 1; j < taken.size(); ++j) {
        if (taken[i] < taken[j]) continue;
        order.negative = !order.negative;
        if (class_of[group[taken[i]]] == class_of[group[taken[j]]]) keeps = false;
      }
    }
    if (keeps) all.push_back(order);
  } while (std::next_permutation(taken.begin(), taken.end()));
  return all;
}

/// First `first`, then `second`, which change different axes.
AxisOrder both(const AxisOrder& first, const AxisOrder& second) {
  AxisOrder order = first;
  for (std::uint8_t p = 0; p < order.axes; ++p) order.from.at(p) = first.from.at(second.from.at(p));
  order.negative = first.negative != second.negative;
  return order;
}

}  // namespace

ScatterTargets::ScatterTargets(const TensorTerm& term, const TensorBlocks& result) : result_(result) {
  const std::size_t positions = term.result.indices.size();
  std::vector<std::size_t> class_of(positions);
  const std::vector<IndexList> classes = positions_of(result_groups(term), term.result.indices);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (const std::size_t position : classes[c]) class_of[position] = c;
  }
  AxisOrder none;
  none.axes = static_cast<std::uint8_t>(positions);
  for (std::uint8_t p = 0; p < none.axes; ++p) none.from.at(p) = p;
  shuffles_ = {none};
  for (const IndexList& group : result.rules().groups) {
    std::vector<AxisOrder> more;
    for (const AxisOrder& before : shuffles_) {
      for (const AxisOrder& shuffle : shuffles_of(group, class_of, positions))
        more.push_back(both(before, shuffle));
    }
    shuffles_ = std::move(more);
  }
}

std::vector<ScatterTarget> ScatterTargets::of(const TileTuple& tiles) const {
  std::vector<ScatterTarget> targets;
  TileTuple target(tiles.size());
  for (const AxisOrder& shuffle : shuffles_) {
    for (std::size_t p = 0; p < tiles.size(); ++p) target[p] = tiles[shuffle.from.at(p)];
    const bool in_order = std::ranges::all_of(result_.rules().groups, [&](const IndexList& group) {
      return std::ranges::is_sorted(group, {}, [&](std::size_t position) { return target[position]; });
    });
    if (!in_order) continue;
    if (const auto place = result_.find(target)) targets.push_back({place->block, shuffle});
  }
  return targets;
}

}  // namespace foretile
