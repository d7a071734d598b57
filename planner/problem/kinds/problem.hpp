// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A problem: a small TOML text from which one contraction is rebuilt, the same everywhere.
#pragma once

#include <string>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// What is stored and exchanged; `toml` alone determines the contraction.
struct Problem {
  std::string name;    ///< of the file without its ending, or of the example
  std::string toml;    ///< the whole text
  std::string source;  ///< path for error messages; empty when the keys were given as command-line options
};

/// Loads a file, or an example by its name (`c65-v1` is examples/c65-v1.toml). Throws InputError.
Problem load_problem(const std::string& path_or_name);

/// Builds tilings and shapes. Errors name file, line and key. Throws InputError.
Contraction build_contraction(const Problem& problem);

}  // namespace foretile
