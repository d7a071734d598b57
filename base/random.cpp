// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"

#include <cmath>
#include <numbers>

namespace foretile {

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (range == 0) return static_cast<std::int64_t>(bits());
  // Draws above the largest multiple of the range would favour small values.
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % range;
  std::uint64_t draw = bits();
  while (draw >= limit) draw = bits();
  return low + static_cast<std::int64_t>(draw % range);
}

double Random::normal() {
  const double u = 1.0 - real();
  const double v = real();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace foretile
