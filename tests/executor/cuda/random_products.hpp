// SPDX-License-Identifier: BSD-3-Clause
// Tiles of small whole numbers, so that sums are exact in any order, and the plain way to multiply them.
#pragma once

#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/product_form.hpp"
#include "base/random.hpp"
#include "rig.hpp"

namespace foretile {

template <typename Real>
struct TestProduct {
  std::int64_t m = 0, n = 0, k = 0;
  bool first = false;
  std::vector<Real> a, b, c, expected;
  TileProduct tiles;  ///< on the device
};

template <typename Number>
Number number_of(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(x.real());
  } else {
    return Number(x);
  }
}

template <typename Real>
std::vector<Real> whole_numbers(Random& random, std::int64_t count) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  const auto part = [&] { return static_cast<double>(random.integer(-4, 4)); };
  for (Real& value : values) {
    const double re = part();
    value = number_of<Real>({re, std::is_floating_point_v<Real> ? 0 : part()});
  }
  return values;
}

template <typename Number>
Number conjugated(Number x) {
  if constexpr (std::is_floating_point_v<Number>) {
    return x;
  } else {
    return std::conj(x);
  }
}

/// Element (i, j) of op(X), which has so many rows and columns.
template <typename Number>
Number element(Op op, const std::vector<Number>& x, std::int64_t rows, std::int64_t columns, std::int64_t i,
               std::int64_t j) {
  if (op == Op::none) return x[static_cast<std::size_t>(i + j * rows)];
  const Number transposed = x[static_cast<std::size_t>(j + i * columns)];
  return op == Op::transpose ? transposed : conjugated(transposed);
}

/// The definition, in loops over columns, rows and inner extent. C of a first product holds NaN before.
template <typename Real>
void finish_product(Random& random, TestProduct<Real>& p, const ProductForm& form = {}) {
  p.a = whole_numbers<Real>(random, p.m * p.k);
  p.b = whole_numbers<Real>(random, p.k * p.n);
  p.c = whole_numbers<Real>(random, p.m * p.n);
  if (p.first) p.c.assign(p.c.size(), number_of<Real>(std::numeric_limits<double>::quiet_NaN()));
  const Real alpha = number_of<Real>(form.alpha);
  p.expected = p.first ? std::vector<Real>(p.c.size(), Real{0}) : p.c;
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t l = 0; l < p.k; ++l) {
        p.expected[static_cast<std::size_t>(i + j * p.m)] +=
            alpha * element(form.a, p.a, p.m, p.k, i, l) * element(form.b, p.b, p.k, p.n, l, j);
      }
    }
  }
}

template <typename Real>
TestProduct<Real> random_product(Random& random, std::int64_t least, std::int64_t most) {
  TestProduct<Real> p;
  p.m = random.integer(least, most);
  p.n = random.integer(least, most);
  p.k = random.integer(least, most);
  p.first = random.integer(0, 1) == 1;
  finish_product(random, p);
  return p;
}

template <typename Real>
void put_product(Gpus& gpus, Gpu& gpu, TestProduct<Real>& p) {
  const auto placed = [&](const std::vector<Real>& tile) {
    return tile.empty() ? nullptr : put<Real>(gpus, gpu, tile);
  };
  p.tiles = {p.m, p.n, p.k, placed(p.a), placed(p.b), placed(p.c), p.first};
}

template <typename Real>
std::vector<TileProduct> put_products(Gpus& gpus, Gpu& gpu, std::vector<TestProduct<Real>>& products) {
  std::vector<TileProduct> tiles;
  for (TestProduct<Real>& p : products) {
    put_product(gpus, gpu, p);
    tiles.push_back(p.tiles);
  }
  return tiles;
}

template <typename Real>
void expect_results(Gpus& gpus, Gpu& gpu, const std::vector<TestProduct<Real>>& products) {
  for (const TestProduct<Real>& p : products) {
    if (p.m * p.n == 0) continue;
    EXPECT_EQ(get<Real>(gpus, gpu, p.tiles.c, p.m * p.n), p.expected);
  }
}

}  // namespace foretile
