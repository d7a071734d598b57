// What the progress line says of a tuning.
#pragma once

#include <string>

#include "tuner/tune.hpp"

namespace foretile {

/// For example "tune 12/100, best 34.9 s, 41 s left".
std::string progress_text(const TuneProgress& progress);

}  // namespace foretile
