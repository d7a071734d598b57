// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS's functions for its four number types under one name each. All matrices are column-major without
// gaps.
#pragma once

#include <cublas_v2.h>

#include <vector>

#include "base/product_form.hpp"
#include "executor/cuda/products.hpp"

namespace foretile {

/// A ProductForm as cuBLAS takes it.
template <typename Number>
struct BlasForm {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  Number alpha = {};

  /// Rows of A and B as they are in memory.
  int lda(int m, int k) const { return a == CUBLAS_OP_N ? m : k; }
  int ldb(int n, int k) const { return b == CUBLAS_OP_N ? k : n; }
};

/// Where the addresses of a launch's tiles are on the device: all of A, all of B, all of C, group after
/// group.
template <typename Number>
struct Addresses {
  const Number* const* a = nullptr;
  const Number* const* b = nullptr;
  Number* const* c = nullptr;
};

/// cublas<t>gemmGroupedBatched (https://docs.nvidia.com/cuda/cublas/, section of that name) is used from
/// CUDA 12.5 on; it knows real numbers only. The lists of addresses are on the device, all others on the
/// host.
constexpr bool kHasGroupedBatched = CUBLAS_VER_MAJOR > 12 ||
                                    (CUBLAS_VER_MAJOR == 12 && CUBLAS_VER_MINOR >= 5);

inline cublasStatus_t gemm(cublasHandle_t blas, const BlasForm<double>& f, int m, int n, int k,
                           const double* a, const double* b, double beta, double* c) {
  return cublasDgemm(blas, f.a, f.b, m, n, k, &f.alpha, a, f.lda(m, k), b, f.ldb(n, k), &beta, c, m);
}

inline cublasStatus_t gemm(cublasHandle_t blas, const BlasForm<float>& f, int m, int n, int k, const float* a,
                           const float* b, float beta, float* c) {
  return cublasSgemm(blas, f.a, f.b, m, n, k, &f.alpha, a, f.lda(m, k), b, f.ldb(n, k), &beta, c, m);
}

inline cublasStatus_t gemm(cublasHandle_t blas, const BlasForm<cuDoubleComplex>& f, int m, int n, int k,
                           const cuDoubleComplex* a, const cuDoubleComplex* b, cuDoubleComplex beta,
                           cuDoubleComplex* c) {
  return cublasZgemm(blas, f.a, f.b, m, n, k, &f.alpha, a, f.lda(m, k), b, f.ldb(n, k), &beta, c, m);
}

inline cublasStatus_t gemm(cublasHandle_t blas, const BlasForm<cuComplex>& f, int m, int n, int k,
                           const cuComplex* a, const cuComplex* b, cuComplex beta, cuComplex* c) {
  return cublasCgemm(blas, f.a, f.b, m, n, k, &f.alpha, a, f.lda(m, k), b, f.ldb(n, k), &beta, c, m);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, const BlasForm<double>& f, int m, int n, int k,
                                   Addresses<double> at, double beta, int count) {
  return cublasDgemmBatched(blas, f.a, f.b, m, n, k, &f.alpha, at.a, f.lda(m, k), at.b, f.ldb(n, k), &beta,
                            at.c, m, count);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, const BlasForm<float>& f, int m, int n, int k,
                                   Addresses<float> at, float beta, int count) {
  return cublasSgemmBatched(blas, f.a, f.b, m, n, k, &f.alpha, at.a, f.lda(m, k), at.b, f.ldb(n, k), &beta,
                            at.c, m, count);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, const BlasForm<cuDoubleComplex>& f, int m, int n,
                                   int k, Addresses<cuDoubleComplex> at, cuDoubleComplex beta, int count) {
  return cublasZgemmBatched(blas, f.a, f.b, m, n, k, &f.alpha, at.a, f.lda(m, k), at.b, f.ldb(n, k), &beta,
                            at.c, m, count);
}

inline cublasStatus_t gemm_batched(cublasHandle_t blas, const BlasForm<cuComplex>& f, int m, int n, int k,
                                   Addresses<cuComplex> at, cuComplex beta, int count) {
  return cublasCgemmBatched(blas, f.a, f.b, m, n, k, &f.alpha, at.a, f.lda(m, k), at.b, f.ldb(n, k), &beta,
                            at.c, m, count);
}

/// One entry per group; these are on the host.
template <typename Real>
struct GroupLists {
  std::vector<cublasOperation_t> a_op, b_op;
  std::vector<int> m, n, k, lda, ldb, count;
  std::vector<Real> alpha, beta;

  void clear() {
    for (auto* list : {&a_op, &b_op}) list->clear();
    for (auto* list : {&m, &n, &k, &lda, &ldb, &count}) list->clear();
    for (auto* list : {&alpha, &beta}) list->clear();
  }
};

// Older cuBLAS has no such function: only the preprocessor can leave out the call.
#if CUBLAS_VER_MAJOR > 12 || (CUBLAS_VER_MAJOR == 12 && CUBLAS_VER_MINOR >= 5)
inline cublasStatus_t gemm_grouped(cublasHandle_t blas, const GroupLists<double>& g, Addresses<double> at) {
  return cublasDgemmGroupedBatched(blas, g.a_op.data(), g.b_op.data(), g.m.data(), g.n.data(), g.k.data(),
                                   g.alpha.data(), at.a, g.lda.data(), at.b, g.ldb.data(), g.beta.data(),
                                   at.c, g.m.data(), static_cast<int>(g.count.size()), g.count.data());
}

inline cublasStatus_t gemm_grouped(cublasHandle_t blas, const GroupLists<float>& g, Addresses<float> at) {
  return cublasSgemmGroupedBatched(blas, g.a_op.data(), g.b_op.data(), g.m.data(), g.n.data(), g.k.data(),
                                   g.alpha.data(), at.a, g.lda.data(), at.b, g.ldb.data(), g.beta.data(),
                                   at.c, g.m.data(), static_cast<int>(g.count.size()), g.count.data());
}
#else
template <typename Real>
cublasStatus_t gemm_grouped(cublasHandle_t, const GroupLists<Real>&, Addresses<Real>) {
  return CUBLAS_STATUS_NOT_SUPPORTED;  // never called: see kHasGroupedBatched
}
#endif

}  // namespace foretile
