// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace foretile {

namespace {

std::string limit_text(int resource, rlim_t unit) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "no limit";
  return fmt::to_string(limit.rlim_cur / unit);
}

}  // namespace

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

void throw_no_thread() {
  throw WorkError(
      fmt::format("a thread cannot be started: there is no memory or no process for it; the limits are {} "
                  "processes and threads "
                  "of this user (ulimit -u) and {} kB of address space (ulimit -v): raise them, or take "
                  "fewer ranks or cores",
                  limit_text(RLIMIT_NPROC, 1), limit_text(RLIMIT_AS, 1024)));
}

}  // namespace foretile
