// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a contraction's products.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "executor/cpu/tile_kernel.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// libxsmm makes code for each shape of small products, which takes as long as hundreds of them. A
/// contraction with more shapes than this has OpenBLAS multiply all of its tiles.
inline constexpr std::size_t kMostSmallShapes = 256;

/// Whether libxsmm multiplies small tiles of the contraction where the plan leaves alpha = 1 to its products.
/// It depends on tilings, elements and operations alone, as long as small_products_on() stays what it is.
bool uses_small_products(const Contraction& contraction);

/// Kernels by product; those of small shapes are made once. For one thread. The contraction must outlive
/// this. `form`: Contraction::product_form(), without alpha where C is computed as partial sums.
class ProductKernels {
 public:
  ProductKernels(const Contraction& contraction, const ProductForm& form);

  TileKernel of(const Product& product, COld old);
  ProductForm form_of(const Product& product) const;

 private:
  const Contraction* contraction_;
  ProductForm form_;
  TileKernel::Library library_;
  // Numbers of the small sizes among the tiles of M, N and K; -1 where a tile is not small.
  std::vector<std::int32_t> m_, n_, k_;
  std::size_t n_sizes_ = 0, k_sizes_ = 0;
  std::vector<std::optional<TileKernel>> kernels_;  // by the numbers of m, n and k, and COld
};

}  // namespace foretile
