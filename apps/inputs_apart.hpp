// SPDX-License-Identifier: BSD-3-Clause
// Files that a program writes are not those that it reads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/matrix_files/matrix_place.hpp"
#include "base/settings.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile {

/// Throws InputError, which begins with `option`, when `path` is a file of which the problem reads A, B or C.
/// An empty path is none.
void require_inputs_apart(std::string_view option, const std::filesystem::path& path, const Problem& problem);

/// Throws InputError where the matrix file `output` would replace A or B, whatever it is called; without
/// `overwrite` also where it would replace the initial C or a dataset that is there. An empty output is none.
void require_output_free(const std::string& output, bool overwrite, const Problem& problem);
/// The second half, for one dataset.
void require_not_taken(const MatrixPlace& place, bool overwrite);

/// Throws InputError when the output file is one of the tables that the settings of a plan name. An empty
/// path is none.
void require_no_table(const char* option, const std::string& output, const Settings& settings);

}  // namespace foretile
