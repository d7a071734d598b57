// How long to stay away from lanes that nobody watches.
#pragma once

#include <chrono>

namespace foretile {

/// CUDA's points have to be asked for. While the last news is young, pauses are so short that asking goes on
/// almost without end; later they are sleeps, which leave the core to others. All calls come from one thread.
class Patience {
 public:
  static constexpr std::chrono::microseconds kYoung{200};
  static constexpr std::chrono::microseconds kShort{5};
  static constexpr std::chrono::microseconds kSleep{20};

  /// Some lane has reached a point.
  void news() { waiting_ = false; }
  /// Lets up to `seconds` pass, and up to kShort or kSleep.
  void pause(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  bool waiting_ = false;
  Clock::time_point since_;  ///< first pause after the last news
};

}  // namespace foretile
