// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Seconds that pieces of work share.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace foretile {

/// What one piece of work leaves the others have.
class TimeBudget {
 public:
  using Clock = std::function<double()>;  ///< seconds

  /// Begins now; without an argument it never ends.
  explicit TimeBudget(double seconds = std::numeric_limits<double>::infinity(), Clock clock = steady_seconds)
      : clock_(std::move(clock)), start_s_(clock_()), seconds_(seconds) {}

  /// 0 when it is used up.
  double left() const { return std::max(0.0, seconds_ - elapsed()); }
  /// Whether nothing is left.
  bool over() const { return left() <= 0; }
  /// Seconds since it began.
  double elapsed() const { return clock_() - start_s_; }
  /// Whether it ends at all.
  bool limited() const { return seconds_ < std::numeric_limits<double>::infinity(); }
  /// Of all seconds, 0 to 1; 0 where it never ends.
  double share_used() const { return limited() ? 1 - left() / seconds_ : 0; }
  /// Begins with this one, by the same clock; ends later by a share of the seconds and by `more` seconds.
  TimeBudget extended(double share, double more) const {
    TimeBudget longer = *this;
    longer.seconds_ = seconds_ * (1 + share) + more;
    return longer;
  }
  /// Part of what is left for work of this weight; `open` is the weight of all that is to do, this included.
  double share(double weight, double open) const { return left() * weight / open; }
  /// That share, beginning now, by the same clock.
  TimeBudget part(double weight, double open) const { return TimeBudget(share(weight, open), clock_); }

  /// Seconds of std::chrono::steady_clock.
  static double steady_seconds();

 private:
  Clock clock_;
  double start_s_;
  double seconds_;
};

}  // namespace foretile
