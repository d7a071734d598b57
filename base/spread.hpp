// SPDX-License-Identifier: BSD-3-Clause
// Least, mean and most of some values.
#pragma once

namespace foretile {

struct Spread {
  double min = 0;
  double mean = 0;
  double max = 0;
};

}  // namespace foretile
