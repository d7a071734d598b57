// How long a resource works, however many operations it has at a time.
#pragma once

namespace foretile {

/// Measures the union of the intervals between begin() and end(). Times in seconds, not decreasing.
class BusyTime {
 public:
  void begin(double now_s) {
    if (running_++ == 0) since_s_ = now_s;
  }
  void end(double now_s) {
    if (--running_ == 0) seconds_ += now_s - since_s_;
  }
  /// An interval that ended, apart from all others.
  void add(double from_s, double to_s) { seconds_ += to_s - from_s; }
  /// Of the intervals that have ended.
  double seconds() const { return seconds_; }

 private:
  int running_ = 0;
  double since_s_ = 0;
  double seconds_ = 0;
};

}  // namespace foretile
