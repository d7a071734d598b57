// SPDX-License-Identifier: BSD-3-Clause
// Products of tiles of one shape on one core: by libxsmm where tiles are small and it is there, else by
// OpenBLAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/product_form.hpp"
#include "executor/cpu/blas.hpp"

namespace foretile {

/// A product is small when m, n and k are all at most this. libxsmm 1.17 is 1.4 to 1.6 times as fast as
/// OpenBLAS 0.3.21 (SkylakeX) at 16 to 23, 0.9 to 1.1 times at 32 to 100, and 1.4 to 1.5 times beyond
/// OpenBLAS's small-matrix kernels up to 128 (double, tiles in cache, ratios of neighbouring runs on one
/// core). Larger ones were not measured well enough to tell.
inline constexpr std::int64_t kMostSmall = 128;

constexpr bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) {
  return m <= kMostSmall && n <= kMostSmall && k <= kMostSmall;
}

/// Whether the product is C += A B or C = A B of real numbers, which libxsmm can multiply.
bool is_plain(const ProductForm& form);

/// Whether libxsmm multiplies small tiles: it is built in, makes code for this machine, and the environment
/// variable FORETILE_SMALL_PRODUCTS is not "blas". The answer stays the same. The first call starts libxsmm,
/// which takes some 20 ms. Throws InputError where the variable is neither "blas" nor "libxsmm", or demands
/// what is not there.
bool small_products_on();

/// Which kernels multiply tiles: "OpenBLAS SkylakeX, libxsmm 1.17 up to 128"; without small products as
/// blas_kernels().
std::string tile_kernels(bool with_small_products = small_products_on());

/// What to do where a platform was calibrated with other kernels than `now`; both as tile_kernels() names
/// them, those of a platform with small products. Empty where they are the same or not known. `asked`:
/// kernels_asked_for().
std::string changed_kernels(std::string_view calibrated, std::string_view now, bool asked);

/// C += alpha op(A) op(B) or C = alpha op(A) op(B) for tiles of one shape, column-major. libxsmm multiplies
/// plain products alone: real numbers, A and B as they are, alpha = 1.
class TileKernel {
 public:
  enum class Library : std::uint8_t {
    blas,
    best  ///< libxsmm for a small product where small_products_on()
  };

  TileKernel() = default;
  /// With libxsmm the first kernel of a shape takes some 0.1 ms, the next ones 20 ns. The kernel depends on
  /// the arguments alone, in one process. For all threads.
  TileKernel(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k, COld old,
             Library library = Library::best);

  /// As multiply_tiles(), on tiles without gaps.
  void operator()(const std::byte* a, const std::byte* b, std::byte* c) const;
  /// The same bits, with gaps or without. With gaps libxsmm looks up its code for them in each call.
  void operator()(TileView a, TileView b, TileView c) const;

 private:
  bool gapless(TileView a, TileView b, TileView c) const;

  void (*code_)() = nullptr;  // libxsmm's; else OpenBLAS multiplies
  std::int64_t m_ = 0, n_ = 0, k_ = 0;
  ProductForm form_;
  COld old_ = COld::added;
};

}  // namespace foretile
