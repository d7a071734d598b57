// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/binding.hpp"

#include <sched.h>

#include <cstddef>

namespace foretile {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void bind_thread(std::span<const int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::vector<int> cpus_of_rank(const std::vector<int>& allowed, int number, int ranks, int cores) {
  if (std::ssize(allowed) == cores) return allowed;
  if (std::ssize(allowed) != std::ptrdiff_t{ranks} * cores) return {};
  const auto first = allowed.begin() + std::ptrdiff_t{number} * cores;
  return {first, first + cores};
}

}  // namespace foretile
