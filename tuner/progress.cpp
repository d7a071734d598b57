#include "tuner/progress.hpp"

#include <fmt/format.h>

#include "base/progress.hpp"

namespace foretile {

std::string progress_text(const TuneProgress& progress) {
  std::string text = fmt::format("tune {}/{}", progress.evaluated, progress.total);
  if (progress.best_s) text += fmt::format(", best {:.4g} s", *progress.best_s);
  if (progress.left_s) text += fmt::format(", {} left", duration_text(*progress.left_s));
  return text;
}

}  // namespace foretile
