#include "executor/cpu/combine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

/// One index of both tiles: its extent, and how far apart its neighbours lie in `from`.
struct Index {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
};

/// Of `to`, the fastest first.
struct Indices {
  std::array<Index, kMostIndices> of{};
  std::size_t count = 0;
};

void check(std::span<const std::int64_t> extents, std::span<const int> permutation) {
  std::array<bool, kMostIndices> seen{};
  bool good = extents.size() <= kMostIndices && permutation.size() == extents.size();
  for (const int index : permutation) {
    good = good && index >= 0 && index < std::ssize(extents) && !seen[static_cast<std::size_t>(index)];
    if (good) seen[static_cast<std::size_t>(index)] = true;
  }
  if (!good)
    throw input_error("permutation", fmt::format("{}", fmt::join(permutation, ", ")),
                      fmt::format("each of 0 to {} once, at most {}", std::ssize(extents) - 1, kMostIndices));
}

/// In `from`, index permutation[d] has the extent of index d of `to`.
Indices indices_of(std::span<const std::int64_t> extents, std::span<const int> permutation) {
  std::array<std::int64_t, kMostIndices> stride{};
  for (std::size_t d = 0; d < extents.size(); ++d)
    stride[static_cast<std::size_t>(permutation[d])] = extents[d];
  std::int64_t before = 1;
  for (std::size_t e = 0; e < extents.size(); ++e) before *= std::exchange(stride[e], before);
  Indices indices{{}, extents.size()};
  for (std::size_t d = 0; d < extents.size(); ++d)
    indices.of[d] = {extents[d], stride[static_cast<std::size_t>(permutation[d])]};
  return indices;
}

/// Calls visit(from, to) with the place of each element that has 0 as its first index.
template <class Visit>
void for_each_row(const Indices& indices, const Visit& visit) {
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
void combine_row(const Index& index, Real beta, Real factor, const Real* from, Real* to) {
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
void combine(const Indices& indices, double beta, double factor, const std::byte* from, std::byte* to) {
  const auto* const x = reinterpret_cast<const Real*>(from);
  auto* const y = reinterpret_cast<Real*>(to);
  for_each_row(indices, [&](std::int64_t of_from, std::int64_t of_to) {
    combine_row(indices.of[0], static_cast<Real>(beta), static_cast<Real>(factor), x + of_from, y + of_to);
  });
}

/// Without a permutation all elements are one row.
Indices one_row(std::span<const std::int64_t> extents) {
  Indices indices{{}, 1};
  indices.of[0].extent =
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  return indices;
}

}  // namespace

void combine_tile(Precision precision, std::span<const std::int64_t> extents,
                  std::span<const int> permutation, double beta, double factor, const std::byte* from,
                  std::byte* to) {
  if (!permutation.empty()) check(extents, permutation);
  const Indices indices = permutation.empty() ? one_row(extents) : indices_of(extents, permutation);
  if (precision == Precision::f64) {
    combine<double>(indices, beta, factor, from, to);
  } else {
    combine<float>(indices, beta, factor, from, to);
  }
}

}  // namespace foretile
