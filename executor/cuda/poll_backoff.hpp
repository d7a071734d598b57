// SPDX-License-Identifier: BSD-3-Clause
// The pauses between two polls of the lanes of all GPUs.
#pragma once

#include <chrono>

namespace foretile {

/// Whether a lane has reached a point is found by polling. Until kYoung after the last point the pauses are
/// at most kShort, and the thread keeps its core; later it sleeps. All calls come from one thread.
class PollBackoff {
 public:
  static constexpr std::chrono::microseconds kYoung{200};
  static constexpr std::chrono::microseconds kShort{5};
  static constexpr std::chrono::microseconds kSleep{20};

  /// Some lane has reached a point.
  void point_reached() { waiting_ = false; }
  /// Lets up to `seconds` pass, and up to kShort or kSleep.
  void pause(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  bool waiting_ = false;
  Clock::time_point since_;  ///< first pause after the last point
};

}  // namespace foretile
