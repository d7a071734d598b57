// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a report page says first, in sentences.
#pragma once

#include <string>
#include <vector>

#include "scheduler/report/report.hpp"

namespace foretile {

/// A sentence, and the rule that it comes from (docs/report.md).
struct Answer {
  std::string rule;
  std::string text;
};

/// What limits the time, then what may be changed: the most important first.
std::vector<Answer> answers_of(const Report& report);

}  // namespace foretile
