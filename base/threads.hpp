// SPDX-License-Identifier: BSD-3-Clause
// How many threads this process should start, and starting them.
#pragma once

#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

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

/// Calls run(0) ... run(count - 1), each on a thread of its own; the first is the calling one. They may wait
/// for each other: none begins before all are there. Throws WorkError, and calls nothing, where the system
/// does not start so many. `run` must not throw.
template <class Thread = std::jthread, class Run>
void run_on_threads(int count, const Run& run) {
  enum class Start { pending, go, give_up };
  std::atomic<Start> start = Start::pending;
  const auto tell = [&start](Start what) {
    start = what;
    start.notify_all();
  };
  std::vector<Thread> others;  // joins when it goes
  try {
    others.reserve(static_cast<std::size_t>(count));
    for (int number = 1; number < count; ++number) {
      others.push_back(start_thread<Thread>([&start, &run, number] {
        start.wait(Start::pending);
        if (start == Start::go) run(number);
      }));
    }
  } catch (...) {
    tell(Start::give_up);
    throw;
  }
  tell(Start::go);
  run(0);
}

}  // namespace foretile
