// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/poll_backoff.hpp"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace foretile {

namespace {

using Seconds = std::chrono::duration<double>;

/// By default Linux may end a sleep 50 us late (prctl(2), PR_SET_TIMERSLACK); 1 ns is the least that can be
/// asked for. Each thread has a slack of its own.
bool sleep_exactly() {
#ifdef __linux__
  return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
#else
  return false;
#endif
}

}  // namespace

void PollBackoff::pause(double seconds) {
  const Clock::time_point start = Clock::now();
  if (!waiting_) since_ = start;
  waiting_ = true;
  const Seconds wanted(seconds);
  if (wanted <= kSleep || start - since_ < kYoung) {
    const Seconds spin = std::min<Seconds>(wanted, kShort);
    while (Clock::now() - start < spin) std::this_thread::yield();
    return;
  }
  [[maybe_unused]] thread_local const bool exact = sleep_exactly();
  std::this_thread::sleep_for(kSleep);
}

}  // namespace foretile
