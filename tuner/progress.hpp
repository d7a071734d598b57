// The progress line.
#pragma once

#include <string>

#include "tuner/tune.hpp"

namespace foretile {

/// For example "tune 12/100, best 34.9 s, 41 s left".
std::string progress_text(const TuneProgress& progress);

/// Rewrites one line on a terminal; writes nothing when `descriptor` is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(int descriptor = 2);
  /// Clears the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const TuneProgress& progress);

 private:
  void write(const std::string& text);

  int descriptor_;
  bool terminal_;
  std::string shown_;
};

}  // namespace foretile
