// cuBLAS's functions for double and float under one name each. All matrices are column-major without gaps.
#pragma once

#include <cublas_v2.h>

#include <vector>

#include "executor/cuda/products.hpp"

namespace foretile {

/// Where the addresses of a launch's tiles lie on the device: all of A, all of B, all of C, group after
/// group.
template <typename Real>
struct Addresses {
  const Real* const* a = nullptr;
  const Real* const* b = nullptr;
  Real* const* c = nullptr;
};

/// cublas<t>gemmGroupedBatched (https://docs.nvidia.com/cuda/cublas/, section of that name) is used from
/// CUDA 12.5 on. The lists of addresses lie on the device, all others on the host.
constexpr bool kHasGroupedBatched = CUBLAS_VER_MAJOR > 12 ||
                                    (CUBLAS_VER_MAJOR == 12 && CUBLAS_VER_MINOR >= 5);

inline cublasStatus_t gemm(cublasHandle_t blas, int m, int n, int k, const double* a, const double* b,
                           double beta, double* c) {
  const double one = 1;
  return cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &beta, c, m);
}

inline cublasStatus_t gemm(cublasHandle_t blas, int m, int n, int k, const float* a, const float* b,
                           float beta, float* c) {
  const float one = 1;
  return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &beta, c, m);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, int m, int n, int k, Addresses<double> at,
                                   double beta, int count) {
  const double one = 1;
  return cublasDgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, at.a, m, at.b, k, &beta, at.c, m,
                            count);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, int m, int n, int k, Addresses<float> at, float beta,
                                   int count) {
  const float one = 1;
  return cublasSgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, at.a, m, at.b, k, &beta, at.c, m,
                            count);
}

/// One entry per group; these lie on the host.
template <typename Real>
struct GroupLists {
  std::vector<cublasOperation_t> plain;
  std::vector<int> m, n, k, count;
  std::vector<Real> alpha, beta;
};

// Older cuBLAS has no such function: only the preprocessor can leave out the call.
#if CUBLAS_VER_MAJOR > 12 || (CUBLAS_VER_MAJOR == 12 && CUBLAS_VER_MINOR >= 5)
inline cublasStatus_t gemm_grouped(cublasHandle_t blas, const GroupLists<double>& g, Addresses<double> at) {
  return cublasDgemmGroupedBatched(blas, g.plain.data(), g.plain.data(), g.m.data(), g.n.data(), g.k.data(),
                                   g.alpha.data(), at.a, g.m.data(), at.b, g.k.data(), g.beta.data(), at.c,
                                   g.m.data(), static_cast<int>(g.count.size()), g.count.data());
}

inline cublasStatus_t gemm_grouped(cublasHandle_t blas, const GroupLists<float>& g, Addresses<float> at) {
  return cublasSgemmGroupedBatched(blas, g.plain.data(), g.plain.data(), g.m.data(), g.n.data(), g.k.data(),
                                   g.alpha.data(), at.a, g.m.data(), at.b, g.k.data(), g.beta.data(), at.c,
                                   g.m.data(), static_cast<int>(g.count.size()), g.count.data());
}
#else
template <typename Real>
cublasStatus_t gemm_grouped(cublasHandle_t, const GroupLists<Real>&, Addresses<Real>) {
  return CUBLAS_STATUS_NOT_SUPPORTED;  // never called: see kHasGroupedBatched
}
#endif

}  // namespace foretile
