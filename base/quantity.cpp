// SPDX-License-Identifier: BSD-3-Clause
#include "base/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace foretile {

namespace {

constexpr std::array<std::string_view, 11> kPrefixes = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr int kNoPrefix = 4;

// "877", "87.7", "8.77": three significant digits of a value in [1, 1000).
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{} {}", value, unit);
  int step = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  // 999.6 rounds to 1000, which reads better as 1.00 of the next prefix.
  if (std::abs(value) / std::pow(1000.0, step) >= 999.5) ++step;
  step = std::clamp(step, -kNoPrefix, static_cast<int>(kPrefixes.size()) - 1 - kNoPrefix);
  const double scaled = value / std::pow(1000.0, step);
  const std::string_view sign = scaled < 0 ? "-" : "";
  return fmt::format("{}{} {}{}", sign, three_digits(std::abs(scaled)),
                     *(kPrefixes.begin() + kNoPrefix + step), unit);
}

std::string spelled_bytes(std::int64_t bytes) {
  constexpr std::int64_t kReadable = 1'000'000;
  if (bytes < kReadable) return fmt::format("{} bytes", bytes);
  return fmt::format("{} bytes ({})", bytes, quantity(static_cast<double>(bytes), "B"));
}

}  // namespace foretile
