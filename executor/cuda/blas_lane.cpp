#include "executor/cuda/blas_lane.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
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

template <typename Real>
const Real* in(const std::byte* tile) {
  return reinterpret_cast<const Real*>(tile);
}

template <typename Real>
Real* out(std::byte* tile) {
  return reinterpret_cast<Real*>(tile);
}

template <typename Real>
Real beta(bool first) {
  return first ? Real{0} : Real{1};
}

template <typename Real>
void multiply_one(cublasHandle_t blas, const ProductGroup& group) {
  const TileProduct& product = *group.products.front();
  check(gemm(blas, group.m, group.n, group.k, in<Real>(product.a), in<Real>(product.b),
             beta<Real>(group.first), out<Real>(product.c)),
        sizeof(Real) == 8 ? "cublasDgemm" : "cublasSgemm");
}

/// Brings the groups' addresses to the device.
template <typename Real>
Addresses<Real> upload(PointerRing& ring, std::span<const ProductGroup> groups) {
  std::vector<std::uintptr_t> a, b, c;
  for (const ProductGroup& group : groups) {
    for (const TileProduct* product : group.products) {
      a.push_back(reinterpret_cast<std::uintptr_t>(product->a));
      b.push_back(reinterpret_cast<std::uintptr_t>(product->b));
      c.push_back(reinterpret_cast<std::uintptr_t>(product->c));
    }
  }
  std::vector<std::uintptr_t> all(a);
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  const std::byte* at = ring.upload(all);
  const std::size_t one = a.size() * sizeof(std::uintptr_t);
  return {reinterpret_cast<const Real* const*>(at), reinterpret_cast<const Real* const*>(at + one),
          reinterpret_cast<Real* const*>(at + 2 * one)};
}

template <typename Real>
void multiply_alike(cublasHandle_t blas, PointerRing& ring, const ProductGroup& group) {
  const Addresses<Real> at = upload<Real>(ring, {&group, 1});
  check(gemm_batched(blas, group.m, group.n, group.k, at, beta<Real>(group.first),
                     static_cast<int>(group.products.size())),
        sizeof(Real) == 8 ? "cublasDgemmBatched" : "cublasSgemmBatched");
}

template <typename Real>
GroupLists<Real> lists_of(std::span<const ProductGroup> groups) {
  GroupLists<Real> lists;
  for (const ProductGroup& group : groups) {
    lists.plain.push_back(CUBLAS_OP_N);
    lists.m.push_back(group.m);
    lists.n.push_back(group.n);
    lists.k.push_back(group.k);
    lists.count.push_back(static_cast<int>(group.products.size()));
    lists.alpha.push_back(Real{1});
    lists.beta.push_back(beta<Real>(group.first));
  }
  return lists;
}

/// Returns false, with nothing launched, when cuBLAS cannot do it.
template <typename Real>
bool multiply_mixed(cublasHandle_t blas, PointerRing& ring, std::span<const ProductGroup> groups) {
  const Addresses<Real> at = upload<Real>(ring, groups);
  const cublasStatus_t status = gemm_grouped(blas, lists_of<Real>(groups), at);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  check(status, sizeof(Real) == 8 ? "cublasDgemmGroupedBatched" : "cublasSgemmGroupedBatched");
  return true;
}

template <typename Real>
void multiply_group(cublasHandle_t blas, PointerRing& ring, const ProductGroup& group) {
  if (group.products.size() == 1) {
    multiply_one<Real>(blas, group);
  } else {
    multiply_alike<Real>(blas, ring, group);
  }
}

bool small_on_average(std::span<const ProductGroup> groups) {
  constexpr std::size_t kSmall = 8;
  std::size_t products = 0;
  for (const ProductGroup& group : groups) products += group.products.size();
  return products < kSmall * groups.size();
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

void BlasLane::multiply(Precision precision, std::span<const TileProduct> products) {
  const auto most = static_cast<std::size_t>(ring_.capacity() / 3);
  while (!products.empty()) {
    const auto part = products.first(std::min(products.size(), most));
    precision == Precision::f64 ? run<double>(part) : run<float>(part);
    products = products.subspan(part.size());
  }
}

template <typename Real>
void BlasLane::run(std::span<const TileProduct> products) {
  const SortedProducts sorted = sort_products(products);
  for (const TileProduct* product : sorted.to_zero) {
    check(cudaMemsetAsync(product->c, 0, static_cast<std::size_t>(product->m * product->n) * sizeof(Real),
                          stream_),
          "cudaMemsetAsync");
  }
  // What cuBLAS refuses is not remembered: were it to depend on the shapes, results would on what came
  // before.
  if (grouped_ && sorted.groups.size() > 1 && small_on_average(sorted.groups) &&
      multiply_mixed<Real>(blas_.get(), ring_, sorted.groups)) {
    return;
  }
  for (const ProductGroup& group : sorted.groups) multiply_group<Real>(blas_.get(), ring_, group);
}

}  // namespace foretile
