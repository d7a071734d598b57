// SPDX-License-Identifier: BSD-3-Clause
// Grids as settings have them: "2x3x4".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/grid.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

/// "2x3x4" as three numbers of at least 1. Throws InputError, which begins with `where`.
AlongAxes parse_grid(std::string_view where, const std::string& text);
std::string to_text(const AlongAxes& numbers);

/// A grid, or one of `words`.
Spelling spelled_grid(std::vector<std::string> words);

}  // namespace foretile
