// SPDX-License-Identifier: BSD-3-Clause
// What the program itself takes.
#pragma once

#include <chrono>
#include <cstdint>

namespace foretile {

/// Most memory that this process ever held.
std::int64_t peak_rss_bytes();

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace foretile
