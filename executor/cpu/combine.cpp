#include "executor/cpu/combine.hpp"

#include <array>

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

/// Compiled without fused multiply-adds (executor/CMakeLists.txt): a product is rounded before it is added.
template <class Real>
void combine_row(const TileIndex& index, Real beta, Real factor, const Real* from, Real* to) {
  const auto each = [&](auto value) {
    if (index.stride == 1) {
      for (std::int64_t i = 0; i < index.extent; ++i) to[i] = value(to[i], from[i]);
    } else {
      for (std::int64_t i = 0; i < index.extent; ++i) to[i] = value(to[i], from[i * index.stride]);
    }
  };
  if (beta == 0) return each([factor](Real, Real x) { return factor * x; });
  if (beta == 1 && factor == 1) return each([](Real y, Real x) { return y + x; });
  each([beta, factor](Real y, Real x) { return beta * y + factor * x; });
}

template <class Real>
void combine(const TileIndices& indices, double beta, double factor, const std::byte* from, std::byte* to) {
  const auto* const x = reinterpret_cast<const Real*>(from);
  auto* const y = reinterpret_cast<Real*>(to);
  for_each_row(indices, [&](std::int64_t of_from, std::int64_t of_to) {
    combine_row(indices.of[0], static_cast<Real>(beta), static_cast<Real>(factor), x + of_from, y + of_to);
  });
}

}  // namespace

void combine_tile(Precision precision, std::span<const std::int64_t> extents,
                  std::span<const int> permutation, double beta, double factor, const std::byte* from,
                  std::byte* to) {
  const TileIndices indices = tile_indices(extents, permutation);
  if (precision == Precision::f64) {
    combine<double>(indices, beta, factor, from, to);
  } else {
    combine<float>(indices, beta, factor, from, to);
  }
}

}  // namespace foretile
