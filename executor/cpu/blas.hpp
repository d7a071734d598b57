// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of tiles on one core, by OpenBLAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/product_form.hpp"
#include "executor/tiles/tile_view.hpp"

namespace foretile {

/// Vector instructions of a core, worst first; higher ones include the lower.
enum class VectorLevel {
  baseline,  ///< SSE2
  avx,       ///< AVX
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, DQ, BW and VL
};

/// What this machine's cores and operating system allow.
VectorLevel cpu_level();

/// What OpenBLAS's kernels of this name use ("Haswell" -> avx2); baseline for unknown names.
VectorLevel kernel_level(std::string_view core_name);

/// The OPENBLAS_CORETYPE to ask for when `chosen` wastes what `cpu` can do; empty when `chosen` is good.
std::string better_kernels(std::string_view chosen, VectorLevel cpu);

/// Which kernels are used instead of this machine's, and what to do; empty where they are this machine's.
/// `configuration`: OpenBLAS's version and how it was built. `asked`: the environment names the kernels.
std::string foreign_kernels(std::string_view chosen, VectorLevel cpu, std::string_view configuration,
                            bool asked);
/// Of this process.
std::string foreign_kernels();

/// Whether the user chose OpenBLAS's kernels by OPENBLAS_CORETYPE.
bool kernels_asked_for();

/// OpenBLAS picks its kernels when it is loaded, and older versions take newer cores for very old ones
/// (0.3.21 of Debian 12 takes recent Xeons for a Prescott, five times too slow). If so, sets
/// OPENBLAS_CORETYPE and starts the program again with the same arguments. Call first in main, before MPI and
/// threads. A value that the user set stays. Products run on one thread from here on.
void choose_blas_kernels();

/// Which kernels run: "OpenBLAS SkylakeX".
std::string blas_kernels();

/// Address space that OpenBLAS takes for each thread that multiplies (BUFFER_SIZE in its common_x86_64.h, 32
/// MiB << 2; only the part in use becomes memory).
inline constexpr std::int64_t kBlasBufferBytes = std::int64_t{32} << 22;

/// Lets OpenBLAS take its buffers for `threads` threads now. Without address space for them it would ask the
/// system again and again during the first product and never return (blas_memory_alloc in its
/// driver/others/memory.c). Throws WorkError that names the limit where they do not fit.
void take_blas_buffers(int threads);

/// While it lives, OpenBLAS multiplies each product on the thread that asks for it, in the whole process.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

/// What C held before the product.
enum class COld {
  added,   ///< C += A B
  ignored  ///< C = A B; C may hold anything
};

/// C += alpha op(A) op(B) or C = alpha op(A) op(B) on tiles of the form's type: op(A) is m x k, op(B) is k x
/// n, C is m x n; A is in memory as k x m where its operation is not Op::none, B as n x k. Runs on the
/// calling thread alone; several threads may call it at once on different C. Throws InputError for sizes of
/// 2^31 and more.
void multiply_tiles(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k, TileView a,
                    TileView b, TileView c, COld old = COld::added);

/// The same for tiles without gaps.
void multiply_tiles(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k,
                    const std::byte* a, const std::byte* b, std::byte* c, COld old = COld::added);

/// C += A B or C = A B with plain numbers; element (i, j) of X is x[i + j ldx]. Requires lda, ldc >= max(1,
/// m) and ldb >= max(1, k).
template <class Number>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const Number* a, std::int64_t lda, const Number* b,
          std::int64_t ldb, Number* c, std::int64_t ldc, COld old = COld::added);

/// y += op(M) x: op(M) is rows x inner, x is inner x columns and y is rows x columns.
template <class Number>
void add_product(Op op, std::int64_t rows, std::int64_t columns, std::int64_t inner, const Number* matrix,
                 std::int64_t ld, const Number* x, std::int64_t ldx, Number* y, std::int64_t ldy);

}  // namespace foretile
