#include "executor/generate.hpp"

#include <bit>
#include <cmath>

#include "base/random.hpp"

namespace foretile {

namespace {

/// The upper 52 bits as the fraction of a number in [1, 2): only shifts and an or, which every vector unit
/// has. The subtraction is exact and the product is rounded once, so all versions below give the same bits.
[[gnu::always_inline]] inline void fill(double* tile, std::uint64_t elements, std::uint64_t key,
                                        double width) {
  constexpr std::uint64_t one = 0x3ff0000000000000ULL;
  for (std::uint64_t e = 0; e < elements; ++e) {
    tile[e] = (std::bit_cast<double>(counter_bits(key, e) >> 12 | one) - 1.5) * width;
  }
}

void fill_anywhere(double* tile, std::uint64_t elements, std::uint64_t key, double width) {
  fill(tile, elements, key, width);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fill_avx2(double* tile, std::uint64_t elements, std::uint64_t key,
                                       double width) {
  fill(tile, elements, key, width);
}

// AVX-512 DQ multiplies 64-bit integers, which is most of the work.
[[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]] void fill_avx512(double* tile,
                                                                                      std::uint64_t elements,
                                                                                      std::uint64_t key,
                                                                                      double width) {
  fill(tile, elements, key, width);
}
#endif

using Fill = void (*)(double*, std::uint64_t, std::uint64_t, double);

Fill best_fill() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return fill_avx512;
  if (__builtin_cpu_supports("avx2")) return fill_avx2;
#endif
  return fill_anywhere;
}

}  // namespace

std::uint64_t tile_key(std::uint64_t seed, Operand operand, std::int64_t tile) {
  return counter_bits(counter_bits(seed, static_cast<std::uint64_t>(operand)),
                      static_cast<std::uint64_t>(tile));
}

void generate_tile(std::span<double> tile, std::uint64_t key, double norm) {
  static const Fill best = best_fill();
  if (tile.empty()) return;
  const double s = norm * std::sqrt(3.0 / static_cast<double>(tile.size()));
  best(tile.data(), tile.size(), key, 2 * s);
}

}  // namespace foretile
