// SPDX-License-Identifier: BSD-3-Clause
// Products of one tile with vectors, in double precision, and how large their terms are.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

inline constexpr int kTestVectors = 2;
inline constexpr double kLargestTestNumber = 1.5;

/// double for tiles of real numbers, else std::complex<double>.
template <class Stored>
using Wide = std::conditional_t<std::is_floating_point_v<Stored>, double, std::complex<double>>;

template <class Number>
Number narrowed(std::complex<double> x) {
  if constexpr (std::is_same_v<Number, double>) {
    return x.real();
  } else {
    return x;
  }
}

/// Two random real vectors for the columns of a tile column, column-major: numbers uniform in [1/2, 3/2) with
/// a random sign, which depend on the seed and the column alone.
template <class Number>
std::vector<Number> test_vectors(const Tiling& tiling, std::int32_t tile_column, std::uint64_t seed) {
  const std::int64_t n = tiling.size(tile_column);
  std::vector<Number> x(static_cast<std::size_t>(n * kTestVectors));
  for (int v = 0; v < kTestVectors; ++v) {
    const std::uint64_t key = counter_bits(counter_bits(seed, 0x5eed), static_cast<std::uint64_t>(v));
    for (std::int64_t e = 0; e < n; ++e) {
      const std::uint64_t bits = counter_bits(key, static_cast<std::uint64_t>(tiling.begin(tile_column) + e));
      x[static_cast<std::size_t>(e + v * n)] = (bits & 1 ? 1 : -1) * (unit_real(bits) + 0.5);
    }
  }
  return x;
}

/// A tile's numbers in double precision, without gaps, as they are in memory.
template <class Number, class Stored>
std::vector<Number> widened(const TileExtents& extents, TileView view) {
  std::vector<Number> wide;
  wide.reserve(static_cast<std::size_t>(extents.rows * extents.columns));
  const auto* const numbers = reinterpret_cast<const Stored*>(view.data);
  for (std::int64_t j = 0; j < extents.columns; ++j) {
    const Stored* const column = numbers + j * view.ld;
    wide.insert(wide.end(), column, column + extents.rows);
  }
  return wide;
}

template <class Number>
std::vector<double> absolute(const std::vector<Number>& numbers) {
  std::vector<double> sizes(numbers.size());
  std::ranges::transform(numbers, sizes.begin(), [](Number x) { return std::abs(x); });
  return sizes;
}

/// 2-norms of the rows of op(M), which is rows x columns. Squares neither overflow nor underflow.
inline std::vector<double> row_norms(const std::vector<double>& sizes, Op op, std::int64_t rows,
                                     std::int64_t columns) {
  std::vector<double> norms(static_cast<std::size_t>(rows), 0.0);
  const auto most = std::ranges::max_element(sizes);
  if (most == sizes.end() || *most == 0) return norms;
  const double scale = *most;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const double x =
          sizes[static_cast<std::size_t>(op == Op::none ? i + j * rows : j + i * columns)] / scale;
      norms[static_cast<std::size_t>(i)] += x * x;
    }
  }
  for (double& norm : norms) norm = scale * std::sqrt(norm);
  return norms;
}

/// Of a tile of `rows` rows: M X (column-major, kTestVectors columns), and per row at least the 2-norm of the
/// terms of the sum, by which random signs of X bound it.
template <class Number>
struct Projection {
  std::vector<Number> sums;
  std::vector<double> sizes;
};

/// op(M) X, where op(M) is rows x columns.
template <class Number, class Stored>
Projection<Number> project(Op op, const TileExtents& extents, TileView view, const std::vector<Number>& x) {
  const std::int64_t rows = op == Op::none ? extents.rows : extents.columns;
  const std::int64_t columns = op == Op::none ? extents.columns : extents.rows;
  const std::vector<Number> numbers = widened<Number, Stored>(extents, view);
  Projection<Number> result;
  result.sums.assign(static_cast<std::size_t>(rows * kTestVectors), Number{0});
  add_product(op, rows, kTestVectors, columns, numbers.data(), std::max<std::int64_t>(1, extents.rows),
              x.data(), columns, result.sums.data(), rows);
  result.sizes = row_norms(absolute(numbers), op, rows, columns);
  for (double& size : result.sizes) size *= kLargestTestNumber;
  return result;
}

}  // namespace foretile
