// SPDX-License-Identifier: BSD-3-Clause
// Several evaluations at a time, each in a process of its own, with a progress line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "tuner/outcome.hpp"

namespace foretile {

/// Evaluates all, in any order; `stage` names them on the line. Call it before any simulation in this
/// process. Throws WorkError where `stop` says so before the end.
std::vector<Evaluation> evaluate_all(std::vector<Candidate> candidates, const CostFunction& cost,
                                     ProgressLine& line, const std::string& stage,
                                     const std::function<bool()>& stop = {});

}  // namespace foretile
