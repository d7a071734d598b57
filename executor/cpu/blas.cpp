#include "executor/cpu/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"

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

void choose_blas_kernels() {
  openblas_set_num_threads(1);
  if (std::getenv(core_variable) || std::getenv(guard_variable)) return;
  const std::string better = better_kernels(openblas_get_corename(), cpu_level());
  if (better.empty()) return;
  ::setenv(core_variable, better.c_str(), 1);
  ::setenv(guard_variable, "1", 1);
  start_again();
}

std::string blas_kernels() {
  return fmt::format("OpenBLAS {}", openblas_get_corename());
}

namespace {

std::string address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "the system";
  return fmt::format("the limit of {} bytes of address space (ulimit -v)", limit.rlim_cur);
}

/// Takes as much address space as the buffers need, and gives it back.
void require_room_for_buffers(int threads) {
  const auto bytes = static_cast<std::size_t>(kBlasBufferBytes) * static_cast<std::size_t>(threads);
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    throw WorkError(
        fmt::format("out of memory: OpenBLAS needs buffers of {} bytes for {} threads, and {} does not allow "
                    "them; raise it, or "
                    "use fewer cores per rank",
                    bytes, threads, address_limit()));
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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
namespace {

// Loops whose reads and writes the sanitizers see; those of OpenBLAS they do not.
template <class Real>
void product(std::int64_t m, std::int64_t n, std::int64_t k, const Real* a, std::int64_t lda, const Real* b,
             std::int64_t ldb, Real* c, std::int64_t ldc, COld old) {
  for (const std::int64_t size : {m, n, k, lda, ldb, ldc}) blas_size(size);
  for (std::int64_t j = 0; j < n; ++j) {
    if (old == COld::ignored) std::fill_n(c + j * ldc, m, Real{0});
    for (std::int64_t l = 0; l < k; ++l) {
      for (std::int64_t i = 0; i < m; ++i) c[i + j * ldc] += a[i + l * lda] * b[l + j * ldb];
    }
  }
}

}  // namespace

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc, COld old) {
  product(m, n, k, a, lda, b, ldb, c, ldc, old);
}

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc, COld old) {
  product(m, n, k, a, lda, b, ldb, c, ldc, old);
}
#else
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc, COld old) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_size(m), blas_size(n), blas_size(k), 1.0, a,
              blas_size(lda), b, blas_size(ldb), old == COld::added ? 1.0 : 0.0, c, blas_size(ldc));
}

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc, COld old) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_size(m), blas_size(n), blas_size(k), 1.0F, a,
              blas_size(lda), b, blas_size(ldb), old == COld::added ? 1.0F : 0.0F, c, blas_size(ldc));
}
#endif

void multiply_tiles(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k, const std::byte* a,
                    const std::byte* b, std::byte* c, COld old) {
  const auto multiply = [&]<class Real>(Real) {
    gemm(m, n, k, reinterpret_cast<const Real*>(a), m, reinterpret_cast<const Real*>(b), k,
         reinterpret_cast<Real*>(c), m, old);
  };
  if (precision == Precision::f64) {
    multiply(double{});
  } else {
    multiply(float{});
  }
}

}  // namespace foretile
