// SPDX-License-Identifier: BSD-3-Clause
#include "base/time_budget.hpp"

#include <chrono>

namespace foretile {

double TimeBudget::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace foretile
