// SPDX-License-Identifier: BSD-3-Clause
// How many threads this process should start, and starting them.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace foretile {

/// The number of cores that this process may use (its affinity mask, which taskset and Slurm's binding set),
/// at least 1.
int usable_cores();

/// Throws WorkError that names the limits on threads of this process.
[[noreturn]] void throw_no_thread();

/// All threads are started by this. Throws WorkError where the system starts none.
template <class Thread = std::jthread, class Run>
Thread start_thread(Run&& run) {
  try {
    return Thread(std::forward<Run>(run));
  } catch (const std::system_error&) {
    throw_no_thread();
  }
}

}  // namespace foretile
