#include "executor/cpu/combine.hpp"

#include <array>
#include <type_traits>

#include "executor/tile_indices.hpp"

namespace foretile {

namespace {

/// Calls visit(from, to) with the place of each element that has 0 as its first index.
template <class Visit>
void for_each_row(const TileIndices& indices, const Visit& visit) {
  std::array<std::int64_t, kMostIndices> at{};
  std::int64_t rows = 1;
  for (std::size_t d = 1; d < indices.count; ++d) rows *= indices.of[d].extent;
  std::int64_t from = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    visit(from, row * indices.of[0].extent);
    for (std::size_t d = 1; d < indices.count; ++d) {
      from += indices.of[d].stride;
      if (++at[d] < indices.of[d].extent) break;
      from -= at[d] * indices.of[d].stride;
      at[d] = 0;
    }
  }
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
                  std::byte* to) {
  const TileIndices indices = tile_indices(extents, permutation);
  with_element(type, [&]<class Number>(Number) {
    const auto* const x = reinterpret_cast<const Number*>(from);
    auto* const y = reinterpret_cast<Number*>(to);
    for_each_row(indices, [&](std::int64_t of_from, std::int64_t of_to) {
      combine_row(indices.of[0], rounded<Number>(beta), rounded<Number>(factor), x + of_from, y + of_to);
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
