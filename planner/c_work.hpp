// SPDX-License-Identifier: BSD-3-Clause
// What foretile_work stands for.
#pragma once

#include "planner/foretile_work.h"
#include "planner/plan_file.hpp"

namespace foretile {

/// C knows the plan by its address alone.
inline const foretile_work* c_work(const PlannedWork& work) {
  return reinterpret_cast<const foretile_work*>(&work);
}
inline const PlannedWork& of_c_work(const foretile_work* work) {
  return *reinterpret_cast<const PlannedWork*>(work);
}

}  // namespace foretile
