// SPDX-License-Identifier: BSD-3-Clause
// Loops over several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace foretile {

/// Calls work(0) ... work(count - 1) on up to `threads` threads, this one among them; each takes the next
/// index when it is done. Throws WorkError where no thread can be started, and the first exception that
/// `work` throws, after all threads have stopped.
template <class Work>
void in_parallel(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), count);
    for (std::size_t t = 1; t < wanted; ++t) helpers.push_back(start_thread(take));
    take();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace foretile
