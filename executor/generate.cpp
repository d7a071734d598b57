#include "executor/generate.hpp"

#include <bit>
#include <cmath>

#include "base/random.hpp"

namespace foretile {

namespace {

/// The upper 52 bits as the fraction of a number in [1, 2): only shifts and an or, which every vector unit
/// has. The subtraction is exact, the product is rounded once, and once more to a float, so all versions
/// below give the same bits.
template <class Real>
[[gnu::always_inline]] inline void fill(Real* tile, std::uint64_t elements, std::uint64_t key, double width) {
  constexpr std::uint64_t one = 0x3ff0000000000000ULL;
  for (std::uint64_t e = 0; e < elements; ++e) {
    tile[e] = static_cast<Real>((std::bit_cast<double>(counter_bits(key, e) >> 12 | one) - 1.5) * width);
  }
}

template <class Real>
void fill_anywhere(Real* tile, std::uint64_t elements, std::uint64_t key, double width) {
  fill(tile, elements, key, width);
}

#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2")]] void fill_avx2(Real* tile, std::uint64_t elements, std::uint64_t key, double width) {
  fill(tile, elements, key, width);
}

// AVX-512 DQ multiplies 64-bit integers, which is most of the work.
template <class Real>
[[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]] void fill_avx512(Real* tile,
                                                                                      std::uint64_t elements,
                                                                                      std::uint64_t key,
                                                                                      double width) {
  fill(tile, elements, key, width);
}
#endif

template <class Real>
using Fill = void (*)(Real*, std::uint64_t, std::uint64_t, double);

template <class Real>
Fill<Real> best_fill() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return fill_avx512<Real>;
  if (__builtin_cpu_supports("avx2")) return fill_avx2<Real>;
#endif
  return fill_anywhere<Real>;
}

template <class Real>
void generate(std::span<Real> tile, std::uint64_t key, double norm) {
  static const Fill<Real> best = best_fill<Real>();
  if (tile.empty()) return;
  const double s = norm * std::sqrt(3.0 / static_cast<double>(tile.size()));
  best(tile.data(), tile.size(), key, 2 * s);
}

}  // namespace

std::uint64_t tile_key(std::uint64_t seed, Operand operand, std::int64_t tile) {
  return counter_bits(counter_bits(seed, static_cast<std::uint64_t>(operand)),
                      static_cast<std::uint64_t>(tile));
}

void generate_tile(std::span<double> tile, std::uint64_t key, double norm) {
  generate(tile, key, norm);
}

void generate_tile(std::span<float> tile, std::uint64_t key, double norm) {
  generate(tile, key, norm);
}

void generate_tile(Precision precision, std::byte* tile, std::int64_t elements, std::uint64_t key,
                   double norm) {
  const auto count = static_cast<std::size_t>(elements);
  if (precision == Precision::f64) {
    generate(std::span(reinterpret_cast<double*>(tile), count), key, norm);
  } else {
    generate(std::span(reinterpret_cast<float*>(tile), count), key, norm);
  }
}

}  // namespace foretile
