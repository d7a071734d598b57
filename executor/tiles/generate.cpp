// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/generate.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/random.hpp"

namespace foretile {

namespace {

/// The upper 52 bits as the fraction of a number in [1, 2): only shifts and an or, which every vector unit
/// has. The subtraction is exact, the product is rounded once, and once more to a float, so all versions
/// below give the same bits.
template <class Real>
[[gnu::always_inline]] inline void fill(Real* to, std::uint64_t first, std::uint64_t elements,
                                        std::uint64_t key, double width) {
  constexpr std::uint64_t one = 0x3ff0000000000000ULL;
  for (std::uint64_t e = 0; e < elements; ++e) {
    to[e] =
        static_cast<Real>((std::bit_cast<double>(counter_bits(key, first + e) >> 12 | one) - 1.5) * width);
  }
}

template <class Real>
void fill_anywhere(Real* to, std::uint64_t first, std::uint64_t elements, std::uint64_t key, double width) {
  fill(to, first, elements, key, width);
}

#if defined(__x86_64__)
template <class Real>
[[gnu::target("avx2")]] void fill_avx2(Real* to, std::uint64_t first, std::uint64_t elements,
                                       std::uint64_t key, double width) {
  fill(to, first, elements, key, width);
}

// AVX-512 DQ multiplies 64-bit integers, which is most of the work.
template <class Real>
[[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]] void fill_avx512(
    Real* to, std::uint64_t first, std::uint64_t elements, std::uint64_t key, double width) {
  fill(to, first, elements, key, width);
}
#endif

template <class Real>
using Fill = void (*)(Real*, std::uint64_t, std::uint64_t, std::uint64_t, double);

template <class Real>
std::vector<Fill<Real>> usable_fills() {
  std::vector<Fill<Real>> fills{fill_anywhere<Real>};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) fills.push_back(fill_avx2<Real>);
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    fills.push_back(fill_avx512<Real>);
#endif
  return fills;
}

template <class Real>
const std::vector<Fill<Real>>& fills() {
  static const std::vector<Fill<Real>> usable = usable_fills<Real>();
  return usable;
}

template <class Real>
void generate(Real* tile, const PartOfTile& part, std::uint64_t key, double norm, int version) {
  if (part.elements == 0) return;
  const double s = norm * std::sqrt(3.0 / static_cast<double>(part.whole));
  const Fill<Real> fill = version < 0 ? fills<Real>().back() : fills<Real>().at(version);
  fill(tile + part.first, static_cast<std::uint64_t>(part.first), static_cast<std::uint64_t>(part.elements),
       key, 2 * s);
}

PartOfTile all_of(std::int64_t elements) {
  return {elements, 0, elements};
}

}  // namespace

std::uint64_t tile_key(std::uint64_t seed, Operand operand, std::int64_t tile) {
  return counter_bits(counter_bits(seed, static_cast<std::uint64_t>(operand)),
                      static_cast<std::uint64_t>(tile));
}

void generate_tile(std::span<double> tile, std::uint64_t key, double norm) {
  generate(tile.data(), all_of(std::ssize(tile)), key, norm, -1);
}

void generate_tile(std::span<float> tile, std::uint64_t key, double norm) {
  generate(tile.data(), all_of(std::ssize(tile)), key, norm, -1);
}

void generate_tile(Precision precision, std::byte* tile, std::int64_t elements, std::uint64_t key,
                   double norm) {
  generate_part(precision, tile, all_of(elements), key, norm);
}

int generate_versions() {
  return static_cast<int>(fills<double>().size());
}

void generate_part(Precision precision, std::byte* tile, const PartOfTile& part, std::uint64_t key,
                   double norm, int version) {
  if (precision == Precision::f64) {
    generate(reinterpret_cast<double*>(tile), part, key, norm, version);
  } else {
    generate(reinterpret_cast<float*>(tile), part, key, norm, version);
  }
}

}  // namespace foretile
