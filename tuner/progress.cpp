#include "tuner/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

namespace foretile {

namespace {

constexpr const char* to_line_start_and_clear = "\r\x1b[K";  // ECMA-48, erase in line

std::string duration_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string progress_text(const TuneProgress& progress) {
  std::string text = fmt::format("tune {}/{}", progress.evaluated, progress.total);
  if (progress.best_s) text += fmt::format(", best {:.4g} s", *progress.best_s);
  if (progress.left_s) text += fmt::format(", {} left", duration_text(*progress.left_s));
  return text;
}

ProgressLine::ProgressLine(int descriptor) : descriptor_(descriptor), terminal_(::isatty(descriptor) == 1) {}

ProgressLine::~ProgressLine() {
  if (!shown_.empty()) write(to_line_start_and_clear);
}

void ProgressLine::show(const TuneProgress& progress) {
  if (!terminal_) return;
  const std::string text = progress_text(progress);
  if (text == shown_) return;
  write(to_line_start_and_clear + text);
  shown_ = text;
}

void ProgressLine::write(const std::string& text) {
  // A terminal that went away is no reason to stop tuning.
  [[maybe_unused]] const ssize_t count = ::write(descriptor_, text.data(), text.size());
}

}  // namespace foretile
