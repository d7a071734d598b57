// SPDX-License-Identifier: BSD-3-Clause
#include "apps/resources.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace foretile {

std::int64_t peak_rss_bytes() {
  rusage own{}, workers{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &workers);
  return std::max<std::int64_t>(own.ru_maxrss, workers.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace foretile
