// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/tile_kernel.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/error.hpp"

// The sanitizers do not see what code made at run time reads and writes.
#if defined(FORETILE_HAS_LIBXSMM) && !defined(FORETILE_SANITIZED)
#include <libxsmm.h>
#define FORETILE_USES_LIBXSMM 1
#else
#define FORETILE_USES_LIBXSMM 0
#endif

namespace foretile {

namespace {

constexpr const char* kVariable = "FORETILE_SMALL_PRODUCTS";

#if FORETILE_USES_LIBXSMM
constexpr const char* kLibrary = "libxsmm " LIBXSMM_CONFIG_VERSION;

using Code = void (*)();

template <class Real>
struct Libxsmm;
template <>
struct Libxsmm<double> {
  using Function = libxsmm_dmmfunction;
  static constexpr auto dispatch = libxsmm_dmmdispatch;
};
template <>
struct Libxsmm<float> {
  using Function = libxsmm_smmfunction;
  static constexpr auto dispatch = libxsmm_smmdispatch;
};

/// Distances between columns.
struct TileStrides {
  std::int64_t a = 0, b = 0, c = 0;
};

template <class Real>
Code code_of(std::int64_t m, std::int64_t n, std::int64_t k, COld old, const TileStrides& strides) {
  const auto size = [](std::int64_t x) { return static_cast<libxsmm_blasint>(x); };
  const libxsmm_blasint lda = size(strides.a), ldb = size(strides.b), ldc = size(strides.c);
  const Real alpha = 1;
  const Real beta = old == COld::added ? Real{1} : Real{0};
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  return reinterpret_cast<Code>(
      Libxsmm<Real>::dispatch(size(m), size(n), size(k), &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch));
}

/// nullptr: libxsmm makes no code for it here.
Code code_of(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k, COld old,
             const TileStrides& strides) {
  return precision == Precision::f64 ? code_of<double>(m, n, k, old, strides)
                                     : code_of<float>(m, n, k, old, strides);
}

Code code_of(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k, COld old) {
  return code_of(precision, m, n, k, old, {m, k, m});
}

template <class Real>
void call(Code code, const std::byte* a, const std::byte* b, std::byte* c) {
  reinterpret_cast<typename Libxsmm<Real>::Function>(code)(
      reinterpret_cast<const Real*>(a), reinterpret_cast<const Real*>(b), reinterpret_cast<Real*>(c));
}

void call(Precision precision, Code code, const std::byte* a, const std::byte* b, std::byte* c) {
  return precision == Precision::f64 ? call<double>(code, a, b, c) : call<float>(code, a, b, c);
}

/// Processors without AVX get none.
bool makes_code() {
  libxsmm_init();
  return code_of(Precision::f64, 8, 8, 8, COld::added) && code_of(Precision::f32, 8, 8, 8, COld::added);
}
#else
constexpr const char* kLibrary = "";
bool makes_code() {
  return false;
}
#endif

bool wanted_and_there() {
  const char* const text = std::getenv(kVariable);
  const std::string_view value = text ? text : "";
  if (value == "blas") return false;
  if (!value.empty() && value != "libxsmm")
    throw input_error(kVariable, value, "blas or libxsmm", "unset it for the faster one");
  const bool there = makes_code();
  if (!there && !value.empty())
    throw input_error(kVariable, value, "blas: libxsmm is not built in, or makes no code for this processor",
                      "unset it");
  return there;
}

}  // namespace

bool is_plain(const ProductForm& form) {
  return form == ProductForm{{form.type.precision, false}, Op::none, Op::none, 1};
}

bool small_products_on() {
  static const bool on = wanted_and_there();
  return on;
}

std::string tile_kernels(bool with_small_products) {
  if (!with_small_products) return blas_kernels();
  return fmt::format("{}, {} up to {}", blas_kernels(), kLibrary, kMostSmall);
}

std::string changed_kernels(std::string_view calibrated, std::string_view now, bool asked) {
  const auto blas_of = [](std::string_view kernels) { return kernels.substr(0, kernels.find(", ")); };
  const bool small = now != blas_of(now);
  const std::string_view then = small ? calibrated : blas_of(calibrated);
  if (then.empty() || then == now) return {};
  const bool by_user = asked && blas_of(then) != blas_of(now);
  return fmt::format(
      "calibrated with {}, now {}{}", then, now,
      by_user ? " (OPENBLAS_CORETYPE is set): calibrate again, or unset it" : ": calibrate again");
}

TileKernel::TileKernel(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k, COld old,
                       Library library)
    : m_(m), n_(n), k_(k), form_(form), old_(old) {
#if FORETILE_USES_LIBXSMM
  const bool empty = m <= 0 || n <= 0 || k <= 0;
  if (library == Library::best && is_plain(form) && !empty && is_small(m, n, k) && small_products_on())
    code_ = code_of(form.type.precision, m, n, k, old);
#else
  static_cast<void>(library);
#endif
}

void TileKernel::operator()(const std::byte* a, const std::byte* b, std::byte* c) const {
#if FORETILE_USES_LIBXSMM
  if (code_) return call(form_.type.precision, code_, a, b, c);
#endif
  multiply_tiles(form_, m_, n_, k_, a, b, c, old_);
}

bool TileKernel::gapless(TileView a, TileView b, TileView c) const {
  return a.ld == m_ && b.ld == k_ && c.ld == m_;
}

void TileKernel::operator()(TileView a, TileView b, TileView c) const {
  if (code_ && gapless(a, b, c)) return (*this)(a.data, b.data, c.data);
#if FORETILE_USES_LIBXSMM
  if (code_) {  // of other distances, which give the same bits
    const Code code = code_of(form_.type.precision, m_, n_, k_, old_, {a.ld, b.ld, c.ld});
    if (code) return call(form_.type.precision, code, a.data, b.data, c.data);
  }
#endif
  multiply_tiles(form_, m_, n_, k_, a, b, c, old_);
}

}  // namespace foretile
