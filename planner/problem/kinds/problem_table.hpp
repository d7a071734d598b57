// SPDX-License-Identifier: BSD-3-Clause
// The TOML table of a problem, for those who read or change single keys of it.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "planner/problem/kinds/problem.hpp"

namespace foretile {

/// Throws InputError, with file and line, for a text that is not TOML.
toml::table parse_problem_table(const Problem& problem);

/// Keys with which problems of the kind are cut into tiles; none for tilings that are listed.
std::vector<std::string> tiling_keys_of_kind(std::string_view kind);

}  // namespace foretile
