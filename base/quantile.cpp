// SPDX-License-Identifier: BSD-3-Clause
#include "base/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace foretile {

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double count = static_cast<double>(values.size());
  const double rank = std::clamp(q * (count + 1), 1.0, count);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const double low = values[below - 1], high = values[std::min(below, values.size() - 1)];
  return low + (rank - std::floor(rank)) * (high - low);
}

}  // namespace foretile
