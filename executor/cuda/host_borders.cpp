// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/host_borders.hpp"

#include <functional>
#include <iterator>
#include <limits>

namespace foretile {

std::int64_t HostBorders::bytes_to_next(const std::byte* from) const {
  const auto after = ends_.upper_bound(from);
  if (after != ends_.begin()) {
    const std::byte* const end = std::prev(after)->second;
    if (std::less<>{}(from, end)) return end - from;
  }
  return after == ends_.end() ? std::numeric_limits<std::int64_t>::max() : after->first - from;
}

}  // namespace foretile
