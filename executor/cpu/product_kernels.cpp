// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/product_kernels.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

/// The different sizes of tiles that a small product may have, increasing.
std::vector<std::int64_t> small_sizes(const Tiling& tiling) {
  std::vector<std::int64_t> sizes;
  for (std::int32_t tile = 0; tile < tiling.tiles(); ++tile) {
    if (tiling.size(tile) <= kMostSmall) sizes.push_back(tiling.size(tile));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::size_t small_shapes(const Contraction& p) {
  return small_sizes(p.m).size() * small_sizes(p.n).size() * small_sizes(p.k).size();
}

/// For each tile the number of its size, or -1.
std::vector<std::int32_t> numbered(const Tiling& tiling, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(tiling.tiles()), -1);
  for (std::int32_t tile = 0; tile < tiling.tiles(); ++tile) {
    const auto found = std::lower_bound(sizes.begin(), sizes.end(), tiling.size(tile));
    if (found != sizes.end() && *found == tiling.size(tile))
      numbers[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(found - sizes.begin());
  }
  return numbers;
}

}  // namespace

bool uses_small_products(const Contraction& p) {
  ProductForm form = p.product_form();
  form.alpha = 1;  // whose kernels have it depends on the plan
  if (!is_plain(form)) return false;
  const std::size_t shapes = small_shapes(p);
  return shapes > 0 && shapes <= kMostSmallShapes && small_products_on();
}

ProductKernels::ProductKernels(const Contraction& p, const ProductForm& form)
    : contraction_(&p),
      form_(form),
      library_(is_plain(form) && uses_small_products(p) ? TileKernel::Library::best
                                                        : TileKernel::Library::blas) {
  if (library_ == TileKernel::Library::blas) return;
  const auto m = small_sizes(p.m), n = small_sizes(p.n), k = small_sizes(p.k);
  m_ = numbered(p.m, m);
  n_ = numbered(p.n, n);
  k_ = numbered(p.k, k);
  n_sizes_ = n.size();
  k_sizes_ = k.size();
  kernels_.resize(2 * m.size() * n.size() * k.size());
}

ProductForm ProductKernels::form_of(const Product& x) const {
  return contraction_->form_of(x.k, form_);
}

TileKernel ProductKernels::of(const Product& x, COld old) {
  const auto make = [&] {
    const Contraction& p = *contraction_;
    return TileKernel(form_of(x), p.m.size(x.i), p.n.size(x.j), p.k.size(x.k), old, library_);
  };
  const auto& of_k = contraction_->products_of_k;
  if (kernels_.empty() || (!of_k.empty() && !of_k[static_cast<std::size_t>(x.k)].is_plain())) return make();
  const std::int32_t m = m_[x.i], n = n_[x.j], k = k_[x.k];
  if (m < 0 || n < 0 || k < 0) return make();
  const std::size_t shape =
      (static_cast<std::size_t>(m) * n_sizes_ + static_cast<std::size_t>(n)) * k_sizes_ +
      static_cast<std::size_t>(k);
  auto& kernel = kernels_[2 * shape + (old == COld::added ? 1 : 0)];
  if (!kernel) kernel = make();
  return *kernel;
}

}  // namespace foretile
