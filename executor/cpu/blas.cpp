// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/quantity.hpp"

extern "C" {  // OpenBLAS's own; not every build shows them
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
}

namespace foretile {

namespace {

constexpr const char* core_variable = "OPENBLAS_CORETYPE";
constexpr const char* guard_variable = "FORETILE_BLAS_KERNELS_CHOSEN";

/// Names of OpenBLAS's kernel sets for x86-64 (its TargetList.txt); others use SSE at most.
constexpr std::array<std::pair<std::string_view, VectorLevel>, 10> kernel_sets = {{
    {"Sandybridge", VectorLevel::avx},
    {"Bulldozer", VectorLevel::avx},
    {"Piledriver", VectorLevel::avx},
    {"Steamroller", VectorLevel::avx},
    {"Excavator", VectorLevel::avx2},
    {"Haswell", VectorLevel::avx2},
    {"Zen", VectorLevel::avx2},
    {"SkylakeX", VectorLevel::avx512},
    {"Cooperlake", VectorLevel::avx512},
    {"SapphireRapids", VectorLevel::avx512},
}};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string> own_arguments() {
  const std::string text = read_text("/proc/self/cmdline");
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    arguments.emplace_back(text.c_str() + at);
  }
  return arguments;
}

/// Returns only when the program cannot be started again; then it goes on with the kernels it has.
void start_again() {
  std::vector<std::string> arguments = own_arguments();
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(own_program().c_str(), pointers.data());
}

blasint blas_size(std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<blasint>::max()) {
    throw input_error("a product of tiles", fmt::format("a size of {}", size), "0 to 2^31 - 1",
                      "use smaller tiles");
  }
  return static_cast<blasint>(size);
}

}  // namespace

VectorLevel cpu_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return VectorLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VectorLevel::avx2;
  if (__builtin_cpu_supports("avx")) return VectorLevel::avx;
#endif
  return VectorLevel::baseline;
}

VectorLevel kernel_level(std::string_view core_name) {
  for (const auto& [name, level] : kernel_sets) {
    if (same_ignoring_case(name, core_name)) return level;
  }
  return VectorLevel::baseline;
}

std::string better_kernels(std::string_view chosen, VectorLevel cpu) {
  if (kernel_level(chosen) >= cpu) return {};
  switch (cpu) {
    case VectorLevel::avx512:
      return "SkylakeX";
    case VectorLevel::avx2:
      return "Haswell";
    case VectorLevel::avx:
      return "Sandybridge";
    case VectorLevel::baseline:
      break;
  }
  return {};
}

std::string foreign_kernels(std::string_view chosen, VectorLevel cpu, std::string_view configuration,
                            bool asked) {
  const std::string better = better_kernels(chosen, cpu);
  if (better.empty()) return {};
  return fmt::format("{} multiplies with its kernels for {}, this processor's are {}; {}", configuration,
                     chosen, better,
                     asked ? fmt::format("unset {} where that is not meant", core_variable)
                           : fmt::format("set {}={}", core_variable, better));
}

std::string foreign_kernels() {
  return foreign_kernels(openblas_get_corename(), cpu_level(), openblas_get_config(), kernels_asked_for());
}

bool kernels_asked_for() {
  return std::getenv(core_variable) && !std::getenv(guard_variable);
}

void choose_blas_kernels() {
  openblas_set_num_threads(1);
  if (std::getenv(core_variable) || std::getenv(guard_variable)) return;
  const std::string better = better_kernels(openblas_get_corename(), cpu_level());
  if (better.empty()) return;
  ::setenv(core_variable, better.c_str(), 1);
  ::setenv(guard_variable, "1", 1);
  start_again();
}

OneBlasThread::OneBlasThread() : before_(openblas_get_num_threads()) {
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  openblas_set_num_threads(before_);
}

std::string blas_kernels() {
  return fmt::format("OpenBLAS {}", openblas_get_corename());
}

namespace {

std::string address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "the system";
  return fmt::format("the limit of {} of address space (ulimit -v)",
                     spelled_bytes(static_cast<std::int64_t>(limit.rlim_cur)));
}

/// Takes as much address space as the buffers need, and gives it back.
void require_room_for_buffers(int threads) {
  const auto bytes = static_cast<std::size_t>(kBlasBufferBytes) * static_cast<std::size_t>(threads);
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    throw WorkError(
        fmt::format("out of memory: OpenBLAS needs buffers of {} for {} threads, and {} does not allow "
                    "them; raise it, or "
                    "use fewer cores per rank",
                    spelled_bytes(static_cast<std::int64_t>(bytes)), threads, address_limit()));
  }
  munmap(room, bytes);
}

}  // namespace

/// OpenBLAS keeps a buffer that was freed for the next product on any thread.
void take_blas_buffers(int threads) {
  require_room_for_buffers(threads);
  if (!blas_memory_alloc || !blas_memory_free) return;
  std::vector<void*> buffers;
  for (int thread = 0; thread < threads; ++thread) buffers.push_back(blas_memory_alloc(0));
  for (void* const buffer : buffers) blas_memory_free(buffer);
}

namespace {

/// Arguments of a product, of any element type.
template <class Number>
struct Gemm {
  Op a_op = Op::none, b_op = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  Number alpha = 1;
  const Number* a = nullptr;
  std::int64_t lda = 1;
  const Number* b = nullptr;
  std::int64_t ldb = 1;
  Number beta = 0;
  Number* c = nullptr;
  std::int64_t ldc = 1;
};

#ifdef FORETILE_SANITIZED
template <class Number>
Number conjugated(Number x) {
  return x;
}
template <class Real>
std::complex<Real> conjugated(std::complex<Real> x) {
  return std::conj(x);
}

/// Element (i, j) of op(X).
template <class Number>
Number element(Op op, const Number* x, std::int64_t ld, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return x[i + j * ld];
  const Number transposed = x[j + i * ld];
  return op == Op::transpose ? transposed : conjugated(transposed);
}

// Loops whose reads and writes the sanitizers see; those of OpenBLAS they do not.
template <class Number>
void run(const Gemm<Number>& g) {
  for (const std::int64_t size : {g.m, g.n, g.k, g.lda, g.ldb, g.ldc}) blas_size(size);
  for (std::int64_t j = 0; j < g.n; ++j) {
    Number* const c = g.c + j * g.ldc;
    if (g.beta == Number{0}) std::fill_n(c, g.m, Number{0});
    for (std::int64_t l = 0; l < g.k; ++l) {
      const Number factor = g.alpha * element(g.b_op, g.b, g.ldb, l, j);
      for (std::int64_t i = 0; i < g.m; ++i) c[i] += element(g.a_op, g.a, g.lda, i, l) * factor;
    }
  }
}
#else
CBLAS_TRANSPOSE flag(Op op) {
  return op == Op::none ? CblasNoTrans : op == Op::transpose ? CblasTrans : CblasConjTrans;
}

void run(const Gemm<double>& g) {
  cblas_dgemm(CblasColMajor, flag(g.a_op), flag(g.b_op), blas_size(g.m), blas_size(g.n), blas_size(g.k),
              g.alpha, g.a, blas_size(g.lda), g.b, blas_size(g.ldb), g.beta, g.c, blas_size(g.ldc));
}

void run(const Gemm<float>& g) {
  cblas_sgemm(CblasColMajor, flag(g.a_op), flag(g.b_op), blas_size(g.m), blas_size(g.n), blas_size(g.k),
              g.alpha, g.a, blas_size(g.lda), g.b, blas_size(g.ldb), g.beta, g.c, blas_size(g.ldc));
}

void run(const Gemm<std::complex<double> >& g) {
  cblas_zgemm(CblasColMajor, flag(g.a_op), flag(g.b_op), blas_size(g.m), blas_size(g.n), blas_size(g.k),
              &g.alpha, g.a, blas_size(g.lda), g.b, blas_size(g.ldb), &g.beta, g.c, blas_size(g.ldc));
}

void run(const Gemm<std::complex<float> >& g) {
  cblas_cgemm(CblasColMajor, flag(g.a_op), flag(g.b_op), blas_size(g.m), blas_size(g.n), blas_size(g.k),
              &g.alpha, g.a, blas_size(g.lda), g.b, blas_size(g.ldb), &g.beta, g.c, blas_size(g.ldc));
}
#endif

template <class Number>
Number number_of(std::complex<double> x) {
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(x.real());
  } else {
    return Number(x);
  }
}

std::int64_t gapless(std::int64_t rows) {
  return std::max<std::int64_t>(1, rows);
}

}  // namespace

void multiply_tiles(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k, TileView a,
                    TileView b, TileView c, COld old) {
  with_element(form.type, [&]<class Number>(Number) {
    run(Gemm<Number>{form.a, form.b, m, n, k, number_of<Number>(form.alpha),
                     reinterpret_cast<const Number*>(a.data), a.ld, reinterpret_cast<const Number*>(b.data),
                     b.ld, old == COld::added ? Number{1} : Number{0}, reinterpret_cast<Number*>(c.data),
                     c.ld});
  });
}

void multiply_tiles(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k,
                    const std::byte* a, const std::byte* b, std::byte* c, COld old) {
  const auto read = [](const std::byte* tile, std::int64_t rows) {
    return TileView{const_cast<std::byte*>(tile), gapless(rows)};
  };
  multiply_tiles(form, m, n, k, read(a, form.a == Op::none ? m : k), read(b, form.b == Op::none ? k : n),
                 {c, gapless(m)}, old);
}

template <class Number>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const Number* a, std::int64_t lda, const Number* b,
          std::int64_t ldb, Number* c, std::int64_t ldc, COld old) {
  const Number beta = old == COld::added ? Number{1} : Number{0};
  run(Gemm<Number>{Op::none, Op::none, m, n, k, Number{1}, a, lda, b, ldb, beta, c, ldc});
}
template void gemm(std::int64_t, std::int64_t, std::int64_t, const double*, std::int64_t, const double*,
                   std::int64_t, double*, std::int64_t, COld);
template void gemm(std::int64_t, std::int64_t, std::int64_t, const float*, std::int64_t, const float*,
                   std::int64_t, float*, std::int64_t, COld);

template <class Number>
void add_product(Op op, std::int64_t rows, std::int64_t columns, std::int64_t inner, const Number* matrix,
                 std::int64_t ld, const Number* x, std::int64_t ldx, Number* y, std::int64_t ldy) {
  run(Gemm<Number>{op, Op::none, rows, columns, inner, Number{1}, matrix, ld, x, ldx, Number{1}, y, ldy});
}
template void add_product(Op, std::int64_t, std::int64_t, std::int64_t, const double*, std::int64_t,
                          const double*, std::int64_t, double*, std::int64_t);
template void add_product(Op, std::int64_t, std::int64_t, std::int64_t, const std::complex<double>*,
                          std::int64_t, const std::complex<double>*, std::int64_t, std::complex<double>*,
                          std::int64_t);

}  // namespace foretile
