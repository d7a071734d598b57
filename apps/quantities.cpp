// SPDX-License-Identifier: BSD-3-Clause
#include "apps/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace foretile {

namespace {

constexpr std::array<std::string_view, 11> prefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr int no_prefix = 4;

// "877", "87.7", "8.77": three significant digits of a value in [1, 1000).
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::ptrdiff_t first = count < 0 ? 1 : 0;
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string quantity(double value, std::string_view unit) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{} {}", value, unit);
  int step = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  // 999.6 rounds to 1000, which reads better as 1.00 of the next prefix.
  if (std::abs(value) / std::pow(1000.0, step) >= 999.5) ++step;
  step = std::clamp(step, -no_prefix, static_cast<int>(prefixes.size()) - 1 - no_prefix);
  const double scaled = value / std::pow(1000.0, step);
  const std::string_view sign = scaled < 0 ? "-" : "";
  return fmt::format("{}{} {}{}", sign, three_digits(std::abs(scaled)),
                     *(prefixes.begin() + no_prefix + step), unit);
}

std::string percent(double fraction) {
  return fmt::format("{:.3g}%", 100 * fraction);
}

}  // namespace foretile
