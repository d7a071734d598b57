// SPDX-License-Identifier: BSD-3-Clause
// Whether two plans are the same.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace foretile {

/// 64-bit FNV-1a of all that a plan does, as 16 hexadecimal digits: equal for plans that differ in nothing
/// but the parameters that they were made from (and the advice in their errors).
std::string plan_digest(const Plan& plan);

}  // namespace foretile
