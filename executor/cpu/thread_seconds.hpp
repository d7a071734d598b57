// SPDX-License-Identifier: BSD-3-Clause
// Processor time of a thread.
#pragma once

#include <ctime>

namespace foretile {

/// Of the calling thread since it began.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace foretile
