// Tiles of small whole numbers, so that sums are exact in any order, and the plain way to multiply them.
#pragma once

#include <limits>
#include <vector>

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

template <typename Real>
std::vector<Real> whole_numbers(Random& random, std::int64_t count) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (Real& value : values) value = static_cast<Real>(random.integer(-4, 4));
  return values;
}

/// The definition, in loops over columns, rows and inner extent. C of a first product holds NaN before.
template <typename Real>
void finish_product(Random& random, TestProduct<Real>& p) {
  p.a = whole_numbers<Real>(random, p.m * p.k);
  p.b = whole_numbers<Real>(random, p.k * p.n);
  p.c = whole_numbers<Real>(random, p.m * p.n);
  if (p.first) p.c.assign(p.c.size(), std::numeric_limits<Real>::quiet_NaN());
  p.expected = p.first ? std::vector<Real>(p.c.size(), Real{0}) : p.c;
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t l = 0; l < p.k; ++l) {
        p.expected[static_cast<std::size_t>(i + j * p.m)] +=
            p.a[static_cast<std::size_t>(i + l * p.m)] * p.b[static_cast<std::size_t>(l + j * p.k)];
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
