// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line on a terminal that shows how far a long command is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace foretile {

/// Called now and then with how much of a long stage is done. Empty: progress is not shown.
using CountFunction = std::function<void(std::int64_t done)>;

/// "41 s", "2 min 05 s", "2 h 01 min".
std::string duration_text(double seconds);

/// Seconds left when `share` of the work took `elapsed_s`. `expected_s`, the prediction for all of it, counts
/// for the part that is not done yet. Without a prediction there is no answer in the first 0.1 s.
std::optional<double> seconds_left(double share, double elapsed_s, std::optional<double> expected_s = {});

/// "simulate 12%, 41 s left".
std::string progress_text(std::string_view stage, double share, std::optional<double> left_s);

/// Where a progress line is painted.
struct ProgressTerminal {
  int descriptor = -1;                  ///< -1: nowhere
  std::function<bool()> in_foreground;  ///< paints only while it says so; empty: always
};

/// Whether the environment tells of a terminal that can erase a line.
bool terminal_can_erase();

/// stderr where it is a terminal that can erase a line, else nowhere. A program in the shell's background
/// paints nothing.
ProgressTerminal own_terminal();

/// Paints one line: nothing in the first 2 s of its life, then at most 5 times a second. The cursor stays at
/// the start of the line, so that what others write covers it. One per process is shown at a time.
class ProgressLine {
 public:
  using Clock = std::function<double()>;  ///< seconds

  /// On this terminal, with the steady clock.
  explicit ProgressLine(ProgressTerminal terminal = own_terminal());
  /// The same with another clock, for tests.
  ProgressLine(ProgressTerminal terminal, Clock clock);
  /// Erases the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether there is a terminal to paint on.
  bool shown_somewhere() const { return terminal_.descriptor >= 0; }

  /// Paints the text unless it is too early.
  void show(const std::string& text);

  /// A function that shows the share done of `all` and the time left; the stage begins now, and
  /// `expected_s` is what was predicted for it. Empty without a terminal, so that nothing is counted in vain.
  /// The line must outlive it.
  CountFunction stage(std::string name, std::int64_t all, std::optional<double> expected_s = {});
  /// The same for a stage that begins with its first count: what comes before it is not extrapolated.
  CountFunction stage_from_first_count(std::string name, std::int64_t all,
                                       std::optional<double> expected_s = {});

 private:
  bool too_early() const;

  ProgressTerminal terminal_;
  Clock clock_;
  double next_s_;  // not before
};

/// Erases the progress line of this process, if one is shown. Call it before anything else is printed.
/// Async-signal-safe, keeps errno.
void erase_progress() noexcept;

}  // namespace foretile
