// Files that a program writes are not those that it reads.
#pragma once

#include <filesystem>
#include <string_view>

#include "planner/problem/problem.hpp"

namespace foretile {

/// Throws InputError, which begins with `option`, when `path` is a file of which the problem reads A, B or C.
/// An empty path is none.
void require_inputs_apart(std::string_view option, const std::filesystem::path& path, const Problem& problem);

}  // namespace foretile
