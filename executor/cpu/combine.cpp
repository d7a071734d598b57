// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/combine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "executor/tiles/tile_indices.hpp"

namespace foretile {

namespace {

/// Calls visit(from, to) with the place of each element that has 0 as its first index, and as index `other`.
template <class Visit>
void for_each_row(const TileIndices& indices, std::size_t other, const Visit& visit) {
  std::array<std::int64_t, kMostIndices> at{}, stride_of_to{};
  std::int64_t rows = 1, stride = 1;
  for (std::size_t d = 0; d < indices.count; ++d) {
    stride_of_to.at(d) = stride;
    stride *= indices.of.at(d).extent;
    if (d > 0 && d != other) rows *= indices.of.at(d).extent;
  }
  std::int64_t from = 0, to = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    visit(from, to);
    for (std::size_t d = 1; d < indices.count; ++d) {
      if (d == other) continue;
      from += indices.of[d].stride;
      to += stride_of_to[d];
      if (++at[d] < indices.of[d].extent) break;
      from -= at[d] * indices.of[d].stride;
      to -= at[d] * stride_of_to[d];
      at[d] = 0;
    }
  }
}

/// Of elements.
struct Offsets {
  std::int64_t from = 0, to = 0;
};

/// Where it begins. `indices` become those of the part.
Offsets take_part(TileShare part, TileIndices& indices) {
  TileIndex& slowest = indices.of.at(indices.count - 1);
  const std::int64_t begin = slowest.extent * part.number / part.of;
  const std::int64_t end = slowest.extent * (part.number + 1) / part.of;
  std::int64_t before = 1;
  for (std::size_t d = 0; d + 1 < indices.count; ++d) before *= indices.of.at(d).extent;
  slowest.extent = end - begin;
  return {begin * slowest.stride, begin * before};
}

/// The index whose neighbours are neighbours in `from`, if that is not the first one; else 0.
std::size_t fastest_in_from(const TileIndices& indices) {
  for (std::size_t d = 0; d < indices.count; ++d) {
    if (indices.of[d].stride == 1) return d;
  }
  return 0;
}

template <class Real>
Real product(Real x, Real y) {
  return x * y;
}
/// std::complex looks for infinities, which takes time.
template <class Real>
std::complex<Real> product(std::complex<Real> x, std::complex<Real> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// Compiled without fused multiply-adds (executor/CMakeLists.txt): a product is rounded before it is added.
template <class Number>
void combine_row(const TileIndex& index, Number beta, Number factor, const Number* from, Number* to) {
  const auto each = [&](auto value) {
    if (index.stride == 1) {
      for (std::int64_t i = 0; i < index.extent; ++i) to[i] = value(to[i], from[i]);
    } else {
      for (std::int64_t i = 0; i < index.extent; ++i) to[i] = value(to[i], from[i * index.stride]);
    }
  };
  constexpr Number one = 1;
  if (beta == Number{0}) return each([factor](Number, Number x) { return product(factor, x); });
  if (beta == one && factor == one) return each([](Number y, Number x) { return y + x; });
  each([beta, factor](Number y, Number x) { return product(beta, y) + product(factor, x); });
}

template <class Number>
Number rounded(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(x.real());
  } else {
    return Number(x);
  }
}

}  // namespace

void combine_tile(ElementType type, std::span<const std::int64_t> extents, std::span<const int> permutation,
                  std::complex<double> beta, std::complex<double> factor, const std::byte* from,
                  std::byte* to, TileShare part) {
  TileIndices indices = tile_indices(extents, permutation);
  const Offsets begin = take_part(part, indices);
  const std::size_t other = fastest_in_from(indices);
  std::int64_t stride = 1;  // of `other` in `to`
  for (std::size_t d = 0; d < other; ++d) stride *= indices.of.at(d).extent;
  with_element(type, [&]<class Number>(Number) {
    const auto* const x = reinterpret_cast<const Number*>(from) + begin.from;
    auto* const y = reinterpret_cast<Number*>(to) + begin.to;
    const TileIndex first = indices.of[0];
    const auto combine = [&](std::int64_t extent, std::int64_t of_from, std::int64_t of_to) {
      combine_row({extent, first.stride}, rounded<Number>(beta), rounded<Number>(factor), x + of_from,
                  y + of_to);
    };
    // Squares, so that each cache line of `from` is read once: its neighbours belong to other rows of `to`.
    constexpr std::int64_t kSide = 16;
    for_each_row(indices, other, [&](std::int64_t of_from, std::int64_t of_to) {
      if (other == 0) return combine(first.extent, of_from, of_to);
      const std::int64_t columns = indices.of.at(other).extent;
      for (std::int64_t column = 0; column < columns; column += kSide) {
        for (std::int64_t row = 0; row < first.extent; row += kSide) {
          for (std::int64_t c = column; c < std::min(columns, column + kSide); ++c)
            combine(std::min(kSide, first.extent - row), of_from + row * first.stride + c,
                    of_to + row + c * stride);
        }
      }
    });
  });
}

void scale_tile(ElementType type, std::complex<double> beta, std::int64_t elements, std::byte* to) {
  with_element(type, [&]<class Number>(Number) {
    auto* const y = reinterpret_cast<Number*>(to);
    const auto factor = rounded<Number>(beta);
    for (std::int64_t e = 0; e < elements; ++e) y[e] = product(factor, y[e]);
  });
}

}  // namespace foretile
