// SPDX-License-Identifier: BSD-3-Clause
// Files that a program writes are not those that it reads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/settings.hpp"
#include "planner/problem/problem.hpp"

namespace foretile {

/// Throws InputError, which begins with `option`, when `path` is a file of which the problem reads A, B or C.
/// An empty path is none.
void require_inputs_apart(std::string_view option, const std::filesystem::path& path, const Problem& problem);

/// Throws InputError when the output file is one of the tables that the settings of a plan name. An empty
/// path is none.
void require_no_table(const char* option, const std::string& output, const Settings& settings);

}  // namespace foretile
