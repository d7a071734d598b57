// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/tile_errors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "executor/cpu/combine.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

double initial_norm(const Contraction& p, TileId c) {
  return p.reads_c() ? std::abs(p.beta) * generated_norm(p, {Matrix::c, c}) : 0;
}

std::int64_t elements_of(const Contraction& p, TileId c) {
  return p.c_bytes(c) / p.element_bytes();
}

}  // namespace

TileBuffer gapless_c(const Contraction& p, TileId tile, const TileBuffer& found) {
  const TileExtents extents = extents_of(p, {Matrix::c, tile});
  const TileView view = found.view(extents.rows);
  if (extents.gapless(view)) return TileBuffer::borrowed(extents.gapless_at(view.data), extents.bytes());
  TileBuffer copy(extents.bytes());
  copy_tile(extents, view, extents.gapless_at(copy.data()));
  return copy;
}

void TileErrors::add(double error, TileId tile) {
  if (error <= largest) return;
  largest = error;
  worst = tile;
}

void TileErrors::add(const TileErrors& other) {
  add(other.largest, other.worst);
  longest_sum = std::max(longest_sum, other.longest_sum);
  flops += other.flops;
}

double allowed_error(Precision precision, double terms) {
  constexpr double kDeviations = 6;
  return kDeviations * (precision == Precision::f64 ? 0x1p-53 : 0x1p-24) * std::sqrt(terms);
}

void ExpectedTile::add(const Contraction& p, TileId a, TileId b, std::int32_t k) {
  const double norm =
      std::abs(p.alpha) * generated_norm(p, {Matrix::a, a}) * generated_norm(p, {Matrix::b, b});
  product_square += norm * norm / static_cast<double>(p.k.size(k));
  const int factors = (p.alpha != 1.0 ? 1 : 0) + (p.reads_c() && p.beta != 1.0 ? 1 : 0);
  terms += static_cast<double>(p.element().reals() * (p.k.size(k) + 1 + factors));
  flops += p.flops(p.a.row_of(a), p.b.column_of(b), k);
}

double relative_error(const Contraction& p, TileId c, const ExpectedTile& expected, double difference) {
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  const double smallest = p.precision == Precision::f64 ? std::numeric_limits<double>::min()
                                                        : double{std::numeric_limits<float>::min()};
  const double underflow = expected.terms * smallest * std::sqrt(static_cast<double>(elements_of(p, c)));
  if (difference <= underflow) return 0;
  return (difference - underflow) / std::hypot(std::sqrt(expected.product_square), initial_norm(p, c));
}

double error_of_untouched(const Contraction& p, TileId c, const TileBuffer& found) {
  TileBuffer wanted(p.c_bytes(c));
  if (p.reads_c()) {
    make_tile(p, {Matrix::c, c}, wanted.data());
    if (p.beta != 1.0) scale_tile(p.element(), p.beta, elements_of(p, c), wanted.data());
  } else {
    std::ranges::fill(wanted.bytes(), std::byte{0});
  }
  const bool same = with_element(p.element(), [&]<class Number>(Number) {
    const auto found_numbers = found.as<Number>(), wanted_numbers = wanted.as<Number>();
    return std::equal(found_numbers.begin(), found_numbers.end(), wanted_numbers.begin());
  });
  return same ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace foretile
