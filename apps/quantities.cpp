// SPDX-License-Identifier: BSD-3-Clause
#include "apps/quantities.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace foretile {

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::ptrdiff_t first = count < 0 ? 1 : 0;
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string percent(double fraction) {
  return fmt::format("{:.3g}%", 100 * fraction);
}

}  // namespace foretile
