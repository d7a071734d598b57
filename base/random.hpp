// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same with every compiler and standard library, and on a GPU.
#pragma once

#include <cstdint>

namespace foretile {

/// The 64-bit finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014, figure 16): a bijection that turns counters into random bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Combines a seed and a counter into 64 random bits; the order of calls does not matter.
constexpr std::uint64_t counter_bits(std::uint64_t seed, std::uint64_t counter) {
  return mix64(seed + (counter + 1) * 0x9e3779b97f4a7c15ULL);
}

/// Uniform in [0, 1) with 53 bits.
constexpr double unit_real(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

/// A sequence of random numbers from one seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(mix64(seed ^ 0x6a09e667f3bcc909ULL)) {}
  std::uint64_t bits() { return counter_bits(seed_, counter_++); }
  /// Uniform in [0, 1).
  double real() { return unit_real(bits()); }
  /// Uniform in [low, high], both included, without bias. Requires low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  /// Standard normal (Box-Muller).
  double normal();

 private:
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
};

}  // namespace foretile
