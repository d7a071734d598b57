// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/product_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace foretile::product_kernels_test {
namespace {

Contraction dense_of(Tiling m, Tiling n, Tiling k) {
  const Shape a = Shape::dense(m.tiles(), k.tiles()), b = Shape::dense(k.tiles(), n.tiles());
  const Shape c = Shape::dense(m.tiles(), n.tiles());
  return {"p", std::move(m), std::move(n), std::move(k), a, b, c};
}

/// Tiles of ones: each element of C becomes the extent in K.
void expect_right(ProductKernels& kernels, const Contraction& p, std::int32_t i, std::int32_t j,
                  std::int32_t k) {
  const auto ones = [](std::int64_t elements) {
    return std::vector<double>(static_cast<std::size_t>(elements), 1);
  };
  const auto a = ones(p.m.size(i) * p.k.size(k)), b = ones(p.k.size(k) * p.n.size(j));
  auto c = ones(p.m.size(i) * p.n.size(j));
  const Product product{i, j, k, 0, 0, 0, 0, 0};
  const auto depth = static_cast<double>(p.k.size(k));
  for (const COld old : {COld::ignored, COld::added}) {
    kernels.of(product, old)(std::as_bytes(std::span(a)).data(), std::as_bytes(std::span(b)).data(),
                             std::as_writable_bytes(std::span(c)).data());
    const double expected = old == COld::ignored ? depth : 2 * depth;
    EXPECT_EQ(c, std::vector<double>(c.size(), expected)) << i << " " << j << " " << k;
  }
}

TEST(ProductKernels, FitEachProductOfSmallAndLargeTiles) {
  const Contraction p = dense_of(Tiling::from_sizes({3, 7, 3, 200}), Tiling::from_sizes({5, 129, 5, 128}),
                                 Tiling::from_sizes({16, 2, 150}));
  ProductKernels kernels(p, p.product_form());
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t i = 0; i < 4; ++i) {
      for (std::int32_t j = 0; j < 4; ++j) {
        for (std::int32_t k = 0; k < 3; ++k) expect_right(kernels, p, i, j, k);
      }
    }
  }
}

/// 1, 2, ..., count.
Tiling growing(std::int64_t count) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= count; ++size) sizes.push_back(size);
  return Tiling::from_sizes(sizes);
}

TEST(ProductKernels, ManyShapesAreOpenBlass) {
  // 8 x 8 x 4 = 256 shapes may be small ones, 8 x 8 x 5 are too many.
  EXPECT_EQ(uses_small_products(dense_of(growing(8), growing(8), growing(4))), small_products_on());
  const Contraction many = dense_of(growing(8), growing(8), growing(5));
  EXPECT_FALSE(uses_small_products(many));
  Contraction transposed = dense_of(growing(8), growing(8), growing(4)), complex = transposed;
  transposed.a_op = Op::transpose;
  complex.complex_elements = true;
  EXPECT_FALSE(uses_small_products(transposed));
  EXPECT_FALSE(uses_small_products(complex));
  EXPECT_FALSE(uses_small_products(dense_of(Tiling({0, 129}), Tiling({0, 1}), Tiling({0, 1}))));
  ProductKernels kernels(many, many.product_form());
  expect_right(kernels, many, 7, 6, 4);
}

}  // namespace
}  // namespace foretile::product_kernels_test
