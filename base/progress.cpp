// SPDX-License-Identifier: BSD-3-Clause
#include "base/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace foretile {

namespace {

constexpr double kQuiet_s = 2;
constexpr double kRepaint_s = 0.2;
constexpr std::string_view kErase = "\r\x1b[K";  // ECMA-48, erase in line

std::atomic<int> painted{-1};   // the terminal that shows a line
std::atomic<pid_t> painter{0};  // a child process does not erase its parent's line

/// A terminal that went away is no reason to stop.
void write_to(int descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t count = ::write(descriptor, text.data(), text.size());
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What fits in one line of the terminal, whose last column stays free.
std::string_view clipped(std::string_view text, int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text;
  return text.substr(0, size.ws_col - 1U);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::optional<double> seconds_left(double share, double elapsed_s, std::optional<double> expected_s) {
  if (expected_s) return (1 - share) * ((1 - share) * *expected_s + elapsed_s);
  constexpr double long_enough_s = 0.1;
  if (share <= 0 || elapsed_s < long_enough_s) return std::nullopt;
  return (1 - share) / share * elapsed_s;
}

std::string progress_text(std::string_view stage, double share, std::optional<double> left_s) {
  const std::string text = fmt::format("{} {:.0f}%", stage, std::floor(100 * share));
  return left_s ? fmt::format("{}, {} left", text, duration_text(*left_s)) : text;
}

bool terminal_can_erase() {
  const char* const kind = std::getenv("TERM");
  return !kind || std::string_view(kind) != "dumb";
}

ProgressTerminal own_terminal() {
  if (!terminal_can_erase() || ::isatty(STDERR_FILENO) == 0) return {};
  return {STDERR_FILENO, [] {
            const pid_t group = ::tcgetpgrp(STDERR_FILENO);
            return group < 0 || group == ::getpgrp();
          }};
}

ProgressLine::ProgressLine(ProgressTerminal terminal) : ProgressLine(std::move(terminal), steady_seconds) {}

ProgressLine::ProgressLine(ProgressTerminal terminal, Clock clock)
    : terminal_(std::move(terminal)), clock_(std::move(clock)), next_s_(clock_() + kQuiet_s) {}

ProgressLine::~ProgressLine() {
  if (shown_somewhere()) erase_progress();
}

bool ProgressLine::too_early() const {
  return clock_() < next_s_;
}

void ProgressLine::show(const std::string& text) {
  if (!shown_somewhere() || too_early()) return;
  next_s_ = clock_() + kRepaint_s;
  if (terminal_.in_foreground && !terminal_.in_foreground()) return;
  painter = ::getpid();
  painted = terminal_.descriptor;
  write_to(terminal_.descriptor, fmt::format("{}{}\r", kErase, clipped(text, terminal_.descriptor)));
}

CountFunction ProgressLine::stage(std::string name, std::int64_t all, std::optional<double> expected_s) {
  if (!shown_somewhere()) return {};
  return [this, name = std::move(name), all, expected_s, start_s = clock_()](std::int64_t done) {
    if (too_early()) return;
    const double share =
        all > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(all), 0.0, 1.0) : 0.0;
    show(progress_text(name, share, seconds_left(share, clock_() - start_s, expected_s)));
  };
}

CountFunction ProgressLine::stage_from_first_count(std::string name, std::int64_t all,
                                                   std::optional<double> expected_s) {
  if (!shown_somewhere()) return {};
  return [this, name = std::move(name), all, expected_s, begun = CountFunction()](std::int64_t done) mutable {
    if (!begun) begun = stage(name, all, expected_s);
    begun(done);
  };
}

void erase_progress() noexcept {
  const int saved = errno;
  const int descriptor = painted.exchange(-1);
  if (descriptor >= 0 && painter == ::getpid()) write_to(descriptor, kErase);
  errno = saved;
}

}  // namespace foretile
