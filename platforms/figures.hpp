// SPDX-License-Identifier: BSD-3-Clause
// The values of a platform by key, as its file and `--set` name them.
#pragma once

#include <string>
#include <vector>

#include "platforms/keys.hpp"
#include "platforms/platform.hpp"

namespace foretile {

struct Figure {
  const PlatformKey* key;
  Slot value;  ///< points into the platform given to `platform_figures`
};

/// The keys that the platform's text has, in the order of `platform_keys`.
std::vector<Figure> platform_figures(Platform& platform);

/// "47.7 GB/s", "2", "gpu".
std::string figure_text(const Figure& figure);

}  // namespace foretile
