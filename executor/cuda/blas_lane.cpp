// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/blas_lane.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "executor/cuda/status.hpp"

namespace foretile {

namespace {

/// As cuBLAS recommends for cublasSetWorkspace(): 32 MiB on Hopper, 4 MiB before
/// (https://docs.nvidia.com/cuda/cublas/#cublassetworkspace). Later ones get what Hopper gets.
std::int64_t workspace_bytes() {
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  return (major >= 9 ? std::int64_t{32} : std::int64_t{4}) << 20;
}

/// What cuBLAS calls a number, and the letter of its functions.
template <typename Number>
struct BlasNumber;
template <>
struct BlasNumber<double> {
  static constexpr char letter = 'D';
  static double of(std::complex<double> x) { return x.real(); }
};
template <>
struct BlasNumber<float> {
  static constexpr char letter = 'S';
  static float of(std::complex<double> x) { return static_cast<float>(x.real()); }
};
template <>
struct BlasNumber<cuDoubleComplex> {
  static constexpr char letter = 'Z';
  static cuDoubleComplex of(std::complex<double> x) { return make_cuDoubleComplex(x.real(), x.imag()); }
};
template <>
struct BlasNumber<cuComplex> {
  static constexpr char letter = 'C';
  static cuComplex of(std::complex<double> x) {
    return make_cuComplex(static_cast<float>(x.real()), static_cast<float>(x.imag()));
  }
};

template <typename Number>
constexpr bool is_real = std::is_floating_point_v<Number>;

cublasOperation_t flag(Op op) {
  return op == Op::none ? CUBLAS_OP_N : op == Op::transpose ? CUBLAS_OP_T : CUBLAS_OP_C;
}

template <typename Number>
BlasForm<Number> blas_form(const ProductForm& form) {
  return {flag(form.a), flag(form.b), BlasNumber<Number>::of(form.alpha)};
}

template <typename Number>
const Number* in(const std::byte* tile) {
  return reinterpret_cast<const Number*>(tile);
}

template <typename Number>
Number* out(std::byte* tile) {
  return reinterpret_cast<Number*>(tile);
}

template <typename Number>
Number beta(bool first) {
  return BlasNumber<Number>::of(first ? 0 : 1);
}

template <typename Number>
void require(cublasStatus_t status, const char* suffix) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  check(status, (std::string("cublas") + BlasNumber<Number>::letter + suffix).c_str());
}

template <typename Number>
void multiply_one(cublasHandle_t blas, const BlasForm<Number>& form, const ProductGroup& group) {
  const TileProduct& product = *group.products.front();
  require<Number>(gemm(blas, form, group.m, group.n, group.k, in<Number>(product.a), in<Number>(product.b),
                       beta<Number>(group.first), out<Number>(product.c)),
                  "gemm");
}

std::size_t products_of(std::span<const ProductGroup> groups) {
  std::size_t products = 0;
  for (const ProductGroup& group : groups) products += group.products.size();
  return products;
}

/// Brings the groups' addresses to the device: all of A, then all of B, then all of C.
template <typename Number>
Addresses<Number> upload(PointerRing& ring, std::span<const ProductGroup> groups) {
  const std::size_t count = products_of(groups);
  const std::span<std::uintptr_t> list = ring.next_list(static_cast<std::int64_t>(3 * count));
  std::size_t at = 0;
  for (const ProductGroup& group : groups) {
    for (const TileProduct* product : group.products) {
      list[at] = reinterpret_cast<std::uintptr_t>(product->a);
      list[count + at] = reinterpret_cast<std::uintptr_t>(product->b);
      list[2 * count + at] = reinterpret_cast<std::uintptr_t>(product->c);
      ++at;
    }
  }
  const std::byte* there = ring.upload();
  const std::size_t one = count * sizeof(std::uintptr_t);
  return {reinterpret_cast<const Number* const*>(there), reinterpret_cast<const Number* const*>(there + one),
          reinterpret_cast<Number* const*>(there + 2 * one)};
}

template <typename Number>
void multiply_alike(cublasHandle_t blas, PointerRing& ring, const BlasForm<Number>& form,
                    const ProductGroup& group) {
  const Addresses<Number> at = upload<Number>(ring, {&group, 1});
  require<Number>(gemm_batched(blas, form, group.m, group.n, group.k, at, beta<Number>(group.first),
                               static_cast<int>(group.products.size())),
                  "gemmBatched");
}

template <typename Real>
void fill_lists(const BlasForm<Real>& form, std::span<const ProductGroup> groups, GroupLists<Real>& lists) {
  lists.clear();
  for (const ProductGroup& group : groups) {
    lists.a_op.push_back(form.a);
    lists.b_op.push_back(form.b);
    lists.m.push_back(group.m);
    lists.n.push_back(group.n);
    lists.k.push_back(group.k);
    lists.lda.push_back(form.lda(group.m, group.k));
    lists.ldb.push_back(form.ldb(group.n, group.k));
    lists.count.push_back(static_cast<int>(group.products.size()));
    lists.alpha.push_back(form.alpha);
    lists.beta.push_back(beta<Real>(group.first));
  }
}

/// Returns false, with nothing launched, when cuBLAS cannot do it.
template <typename Number>
bool multiply_mixed(cublasHandle_t blas, PointerRing& ring, const BlasForm<Number>& form,
                    std::span<const ProductGroup> groups, KeptLists& kept) {
  if constexpr (is_real<Number>) {
    const Addresses<Number> at = upload<Number>(ring, groups);
    auto& lists = std::get<GroupLists<Number>>(kept);
    fill_lists<Number>(form, groups, lists);
    const cublasStatus_t status = gemm_grouped(blas, lists, at);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
    require<Number>(status, "gemmGroupedBatched");
    return true;
  } else {
    return false;
  }
}

template <typename Number>
void multiply_group(cublasHandle_t blas, PointerRing& ring, const BlasForm<Number>& form,
                    const ProductGroup& group) {
  if (group.products.size() == 1) {
    multiply_one<Number>(blas, form, group);
  } else {
    multiply_alike<Number>(blas, ring, form, group);
  }
}

bool small_on_average(std::span<const ProductGroup> groups) {
  constexpr std::size_t kSmall = 8;
  return products_of(groups) < kSmall * groups.size();
}

}  // namespace

bool wants_grouped() {
  constexpr const char* name = "FORETILE_GROUPED";
  const char* given = std::getenv(name);
  const std::string_view value = given ? given : "1";
  if (value != "0" && value != "1") throw input_error(name, value, "0 or 1", "unset it");
  return kHasGroupedBatched && value == "1";
}

/// cuBLAS gives the same bits in every run only while one stream works or each stream has a workspace of its
/// own (https://docs.nvidia.com/cuda/cublas/#results-reproducibility). cublasSetStream() takes the workspace
/// away, so it comes first. Default math keeps FP32 products in FP32: TF32 and emulation have to be asked for
/// (https://docs.nvidia.com/cuda/cublas/#cublasmath-t); pedantic math would keep doubles off the tensor
/// cores.
BlasLane::BlasLane(cudaStream_t stream, std::int64_t ring, bool grouped)
    : stream_(stream),
      grouped_(grouped && kHasGroupedBatched),
      workspace_(allocate_on_device(workspace_bytes())),
      ring_(stream, ring),
      blas_(make_blas()) {
  check(cublasSetStream(blas_.get(), stream), "cublasSetStream");
  check(cublasSetWorkspace(blas_.get(), workspace_.get(), static_cast<std::size_t>(workspace_bytes())),
        "cublasSetWorkspace");
  check(cublasSetPointerMode(blas_.get(), CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
  check(cublasSetMathMode(blas_.get(), CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
}

void BlasLane::multiply(const ProductForm& form, std::span<const TileProduct> products) {
  const bool f64 = form.type.precision == Precision::f64;
  const auto most = static_cast<std::size_t>(ring_.capacity() / 3);
  while (!products.empty()) {
    const auto part = products.first(std::min(products.size(), most));
    if (form.type.is_complex) {
      f64 ? run<cuDoubleComplex>(form, part) : run<cuComplex>(form, part);
    } else {
      f64 ? run<double>(form, part) : run<float>(form, part);
    }
    products = products.subspan(part.size());
  }
}

template <typename Number>
void BlasLane::run(const ProductForm& given, std::span<const TileProduct> products) {
  const BlasForm<Number> form = blas_form<Number>(given);
  sorter_.sort(products);
  const std::span<const ProductGroup> groups = sorter_.groups();
  for (const TileProduct* product : sorter_.to_zero()) {
    check(cudaMemsetAsync(product->c, 0, static_cast<std::size_t>(product->m * product->n) * sizeof(Number),
                          stream_),
          "cudaMemsetAsync");
  }
  // What cuBLAS refuses is not remembered: were it to depend on the shapes, results would on what came
  // before.
  if (grouped_ && groups.size() > 1 && small_on_average(groups) &&
      multiply_mixed<Number>(blas_.get(), ring_, form, groups, lists_)) {
    return;
  }
  for (const ProductGroup& group : groups) multiply_group<Number>(blas_.get(), ring_, form, group);
}

}  // namespace foretile
