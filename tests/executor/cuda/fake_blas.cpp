// SPDX-License-Identifier: BSD-3-Clause
// Functions of cuBLAS and cublasXt, on the CPU.
#include <cublasXt.h>
#include <fmt/format.h>

#include <complex>
#include <set>

#include "fake_world.hpp"

namespace foretile::fake_cuda {

namespace {

cublasStatus_t enter_blas(const char* name) {
  return enter(name) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// Sizes and operations of a product without gaps between columns.
struct Sizes {
  cublasOperation_t a_op = CUBLAS_OP_N, b_op = CUBLAS_OP_N;
  int m = 0, n = 0, k = 0;
};

template <typename Real>
Real conjugated(Real x) {
  return x;
}
template <typename Real>
std::complex<Real> conjugated(std::complex<Real> x) {
  return std::conj(x);
}

/// Element (i, j) of op(X), which has `rows` rows and `columns` columns.
template <typename Number>
Number element(cublasOperation_t op, const Number* x, int rows, int columns, int i, int j) {
  if (op == CUBLAS_OP_N) return x[i + std::int64_t{j} * rows];
  const Number transposed = x[j + std::int64_t{i} * columns];
  return op == CUBLAS_OP_T ? transposed : conjugated(transposed);
}

/// Column-major C = alpha op(A) op(B) + beta C, where C is not read when beta is 0.
template <typename Number>
void product(const Sizes& s, Number alpha, const Number* a, const Number* b, Number beta, Number* c) {
  for (int j = 0; j < s.n; ++j) {
    for (int i = 0; i < s.m; ++i) {
      Number sum = 0;
      for (int l = 0; l < s.k; ++l)
        sum += element(s.a_op, a, s.m, s.k, i, l) * element(s.b_op, b, s.k, s.n, l, j);
      Number& to = c[i + std::int64_t{j} * s.m];
      to = beta == Number{0} ? alpha * sum : alpha * sum + beta * to;
    }
  }
}

template <typename Number>
void checked_product(int device, const Sizes& s, Number alpha, const Number* a, const Number* b, Number beta,
                     Number* c) {
  const auto bytes = [](int rows, int columns) {
    return std::int64_t{rows} * columns * std::int64_t{sizeof(Number)};
  };
  if (on_device(a, bytes(s.m, s.k), device, "A") && on_device(b, bytes(s.k, s.n), device, "B") &&
      on_device(c, bytes(s.m, s.n), device, "C")) {
    product(s, alpha, a, b, beta, c);
  }
}

void expect_ready(const cublasContext* blas, const char* call) {
  if (!world->handles.contains(const_cast<cublasContext*>(blas))) {
    return complain(fmt::format("{}: unknown handle", call));
  }
  expect(blas->device == world->current, fmt::format("{}: another device is current", call));
  expect(blas->stream != nullptr && blas->stream->device == blas->device, fmt::format("{}: stream", call));
  expect(blas->workspace, fmt::format("{}: without a workspace of its own", call));
  expect(blas->reals_on_host, fmt::format("{}: alpha and beta are on the host", call));
}

void expect_sound(const Sizes& s, int lda, int ldb, int ldc) {
  expect(s.m > 0 && s.n > 0 && s.k > 0, "an empty product");
  expect(
      lda == (s.a_op == CUBLAS_OP_N ? s.m : s.k) && ldb == (s.b_op == CUBLAS_OP_N ? s.k : s.n) && ldc == s.m,
      "gaps between columns");
}

template <typename Number>
cublasStatus_t gemm(const char* call, cublasHandle_t blas, const Sizes& s, const Number* alpha,
                    const Number* a, int lda, const Number* b, int ldb, const Number* beta, Number* c,
                    int ldc) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  expect_sound(s, lda, ldb, ldc);
  give(
      blas->stream,
      [=, device = blas->device, alpha = *alpha, beta = *beta] {
        checked_product(device, s, alpha, a, b, beta, c);
      },
      call);
  return status;
}

/// The lists of addresses are read when the work is done, as a GPU would.
template <typename Number>
void products(int device, const Sizes& s, Number alpha, const Number* const* a, const Number* const* b,
              Number beta, Number* const* c, int begin, int end, int all) {
  const std::int64_t bytes = std::int64_t{all} * std::int64_t{sizeof(void*)};
  if (!on_device(a, bytes, device, "list of A") || !on_device(b, bytes, device, "list of B") ||
      !on_device(c, bytes, device, "list of C")) {
    return;
  }
  std::set<Number*> different;
  for (int p = begin; p < end; ++p) {
    expect(different.insert(c[p]).second, "two products of a launch have the same C");
    checked_product(device, s, alpha, a[p], b[p], beta, c[p]);
  }
}

template <typename Number>
cublasStatus_t batched(const char* call, cublasHandle_t blas, const Sizes& s, const Number* alpha,
                       const Number* const* a, int lda, const Number* const* b, int ldb, const Number* beta,
                       Number* const* c, int ldc, int count) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  expect_sound(s, lda, ldb, ldc);
  give(
      blas->stream,
      [=, device = blas->device, alpha = *alpha, beta = *beta] {
        products(device, s, alpha, a, b, beta, c, 0, count, count);
      },
      call);
  return status;
}

template <typename Real>
struct Group {
  Sizes sizes;
  Real alpha, beta;
  int begin, end;
};

template <typename Real>
cublasStatus_t grouped(const char* call, cublasHandle_t blas, const cublasOperation_t* ta,
                       const cublasOperation_t* tb, const int* m, const int* n, const int* k,
                       const Real* alpha, const Real* const* a, const int* lda, const Real* const* b,
                       const int* ldb, const Real* beta, Real* const* c, const int* ldc, int count,
                       const int* size) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  if (!world->options.grouped) return CUBLAS_STATUS_NOT_SUPPORTED;
  std::vector<Group<Real>> groups;
  int all = 0;
  for (int g = 0; g < count; ++g) {
    const Sizes sizes{ta[g], tb[g], m[g], n[g], k[g]};
    expect_sound(sizes, lda[g], ldb[g], ldc[g]);
    expect(size[g] > 0, "an empty group");
    groups.push_back({sizes, alpha[g], beta[g], all, all + size[g]});
    all += size[g];
  }
  give(
      blas->stream,
      [=, device = blas->device] {
        for (const Group<Real>& group : groups)
          products(device, group.sizes, group.alpha, a, b, group.beta, c, group.begin, group.end, all);
      },
      call);
  return status;
}

/// cuBLAS's complex numbers as the language has them.
const std::complex<double>* numbers(const cuDoubleComplex* x) {
  return reinterpret_cast<const std::complex<double>*>(x);
}
std::complex<double>* numbers(cuDoubleComplex* x) {
  return reinterpret_cast<std::complex<double>*>(x);
}
const std::complex<float>* numbers(const cuComplex* x) {
  return reinterpret_cast<const std::complex<float>*>(x);
}
std::complex<float>* numbers(cuComplex* x) {
  return reinterpret_cast<std::complex<float>*>(x);
}
const std::complex<double>* const* lists(const cuDoubleComplex* const* x) {
  return reinterpret_cast<const std::complex<double>* const*>(x);
}
std::complex<double>* const* lists(cuDoubleComplex* const* x) {
  return reinterpret_cast<std::complex<double>* const*>(x);
}
const std::complex<float>* const* lists(const cuComplex* const* x) {
  return reinterpret_cast<const std::complex<float>* const*>(x);
}
std::complex<float>* const* lists(cuComplex* const* x) {
  return reinterpret_cast<std::complex<float>* const*>(x);
}

}  // namespace

}  // namespace foretile::fake_cuda

using namespace foretile::fake_cuda;

extern "C" {

const char* cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS";
}

const char* cublasGetStatusString(cublasStatus_t) {
  return "the function failed to launch on the GPU";
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  const cublasStatus_t status = enter_blas("cublasGetProperty");
  *value = type == MAJOR_VERSION ? 12 : type == MINOR_VERSION ? 5 : 3;
  return status;
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  const cublasStatus_t status = enter_blas("cublasCreate");
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  *handle = new cublasContext{world->current, nullptr, false, true};
  world->handles.insert(*handle);
  return status;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  const cublasStatus_t status = enter_blas("cublasDestroy");
  expect(world->handles.erase(handle) == 1, "cublasDestroy: unknown handle");
  delete handle;
  return status;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  const cublasStatus_t status = enter_blas("cublasSetStream");
  expect(stream->device == handle->device, "cublasSetStream: a stream of another device");
  handle->stream = stream;
  handle->workspace = false;  // back to the common one, as cuBLAS does
  return status;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* memory, std::size_t bytes) {
  const cublasStatus_t status = enter_blas("cublasSetWorkspace");
  handle->workspace = on_device(memory, static_cast<std::int64_t>(bytes), handle->device, "workspace");
  return status;
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  const cublasStatus_t status = enter_blas("cublasSetPointerMode");
  handle->reals_on_host = mode == CUBLAS_POINTER_MODE_HOST;
  return status;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  const cublasStatus_t status = enter_blas("cublasSetMathMode");
  expect(mode == CUBLAS_DEFAULT_MATH || mode == CUBLAS_PEDANTIC_MATH, "FP32 would be less");
  return status;
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  const cublasStatus_t status = enter_blas("cublasXtCreate");
  *handle = reinterpret_cast<cublasXtHandle_t>(new int(0));
  return status;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return enter_blas("cublasXtDestroy");
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t, int count, int devices[]) {
  expect(count == 1 && devices[0] == world->current, "cublasXtDeviceSelect");
  return enter_blas("cublasXtDeviceSelect");
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  *reinterpret_cast<int*>(handle) = block;
  return enter_blas("cublasXtSetBlockDim");
}

cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                             std::size_t m, std::size_t n, std::size_t k, const double* alpha,
                             const double* a, std::size_t lda, const double* b, std::size_t ldb,
                             const double* beta, double* c, std::size_t ldc) {
  const cublasStatus_t status = enter_blas("cublasXtDgemm");
  if (*reinterpret_cast<int*>(handle) > 64) return CUBLAS_STATUS_ALLOC_FAILED;  // blocks without room
  const auto count = [](std::size_t extent) { return static_cast<int>(extent); };
  const Sizes sizes{ta, tb, count(m), count(n), count(k)};
  expect_sound(sizes, count(lda), count(ldb), count(ldc));
  product(sizes, *alpha, a, b, *beta, c);
  return status;
}

cublasStatus_t cublasDgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                           const double* beta, double* c, int ldc) {
  return gemm("cublasDgemm", blas, {ta, tb, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasDgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const double* alpha, const double* const a[], int lda,
                                  const double* const b[], int ldb, const double* beta, double* const c[],
                                  int ldc, int count) {
  return batched("cublasDgemmBatched", blas, {ta, tb, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc, count);
}

cublasStatus_t cublasSgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  return gemm("cublasSgemm", blas, {ta, tb, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const float* alpha, const float* const a[], int lda,
                                  const float* const b[], int ldb, const float* beta, float* const c[],
                                  int ldc, int count) {
  return batched("cublasSgemmBatched", blas, {ta, tb, m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc, count);
}

cublasStatus_t cublasZgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const cuDoubleComplex* alpha, const cuDoubleComplex* a, int lda,
                           const cuDoubleComplex* b, int ldb, const cuDoubleComplex* beta, cuDoubleComplex* c,
                           int ldc) {
  return gemm("cublasZgemm", blas, {ta, tb, m, n, k}, numbers(alpha), numbers(a), lda, numbers(b), ldb,
              numbers(beta), numbers(c), ldc);
}

cublasStatus_t cublasZgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const cuDoubleComplex* alpha,
                                  const cuDoubleComplex* const a[], int lda, const cuDoubleComplex* const b[],
                                  int ldb, const cuDoubleComplex* beta, cuDoubleComplex* const c[], int ldc,
                                  int count) {
  return batched("cublasZgemmBatched", blas, {ta, tb, m, n, k}, numbers(alpha), lists(a), lda, lists(b), ldb,
                 numbers(beta), lists(c), ldc, count);
}

cublasStatus_t cublasCgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const cuComplex* alpha, const cuComplex* a, int lda, const cuComplex* b,
                           int ldb, const cuComplex* beta, cuComplex* c, int ldc) {
  return gemm("cublasCgemm", blas, {ta, tb, m, n, k}, numbers(alpha), numbers(a), lda, numbers(b), ldb,
              numbers(beta), numbers(c), ldc);
}

cublasStatus_t cublasCgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const cuComplex* alpha, const cuComplex* const a[], int lda,
                                  const cuComplex* const b[], int ldb, const cuComplex* beta,
                                  cuComplex* const c[], int ldc, int count) {
  return batched("cublasCgemmBatched", blas, {ta, tb, m, n, k}, numbers(alpha), lists(a), lda, lists(b), ldb,
                 numbers(beta), lists(c), ldc, count);
}

cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t blas, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const double alpha[], const double* const a[],
                                         const int lda[], const double* const b[], const int ldb[],
                                         const double beta[], double* const c[], const int ldc[], int count,
                                         const int size[]) {
  return grouped("cublasDgemmGroupedBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                 count, size);
}

cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t blas, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const float alpha[], const float* const a[],
                                         const int lda[], const float* const b[], const int ldb[],
                                         const float beta[], float* const c[], const int ldc[], int count,
                                         const int size[]) {
  return grouped("cublasSgemmGroupedBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                 count, size);
}

}  // extern "C"
