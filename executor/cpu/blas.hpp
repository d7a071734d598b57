// Products of tiles on one core, by OpenBLAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/precision.hpp"

namespace foretile {

/// Vector instructions of a core, worst first; higher ones include the lower.
enum class VectorLevel { baseline, avx, avx2, avx512 };

/// What this machine's cores and operating system allow.
VectorLevel cpu_level();

/// What OpenBLAS's kernels of this name use ("Haswell" -> avx2); baseline for unknown names.
VectorLevel kernel_level(std::string_view core_name);

/// The OPENBLAS_CORETYPE to ask for when `chosen` wastes what `cpu` can do; empty when `chosen` is good.
std::string better_kernels(std::string_view chosen, VectorLevel cpu);

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

/// What C held before the product.
enum class COld {
  added,   ///< C += A B
  ignored  ///< C = A B; C may hold anything
};

/// C += A B or C = A B, column-major: A is m x k, B is k x n, C is m x n; element (i, j) of X is x[i +
/// j*ldx]. Runs on the calling thread alone; several threads may call it at once on different C. Requires
/// lda, ldc >= max(1, m), ldb >= max(1, k), and all sizes below 2^31 (throws InputError beyond).
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc, COld old = COld::added);
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc, COld old = COld::added);

/// The same for tiles without gaps, of either precision.
void multiply_tiles(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k, const std::byte* a,
                    const std::byte* b, std::byte* c, COld old = COld::added);

}  // namespace foretile
