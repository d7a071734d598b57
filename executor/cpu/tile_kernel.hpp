// Products of tiles of one shape on one core: by libxsmm where tiles are small and it is there, else by
// OpenBLAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/precision.hpp"
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

/// Whether libxsmm multiplies small tiles: it is built in, makes code for this machine, and the environment
/// variable FORETILE_SMALL_PRODUCTS is not "blas". The answer stays the same. The first call starts libxsmm,
/// which takes some 20 ms. Throws InputError where the variable is neither "blas" nor "libxsmm", or demands
/// what is not there.
bool small_products_on();

/// Which kernels multiply tiles: "OpenBLAS SkylakeX, libxsmm 1.17 up to 128"; without small products as
/// blas_kernels().
std::string tile_kernels(bool with_small_products = small_products_on());

/// C += A B or C = A B for tiles of one shape, column-major and without gaps.
class TileKernel {
 public:
  enum class Library : std::uint8_t {
    blas,
    best  ///< libxsmm for a small product where small_products_on()
  };

  TileKernel() = default;
  /// With libxsmm the first kernel of a shape takes some 0.1 ms, the next ones 20 ns. The kernel depends on
  /// the arguments alone, in one process. For all threads.
  TileKernel(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k, COld old,
             Library library = Library::best);

  /// As multiply_tiles().
  void operator()(const std::byte* a, const std::byte* b, std::byte* c) const;

 private:
  void (*code_)() = nullptr;  // libxsmm's; else OpenBLAS multiplies
  std::int64_t m_ = 0, n_ = 0, k_ = 0;
  Precision precision_ = Precision::f64;
  COld old_ = COld::added;
};

}  // namespace foretile
