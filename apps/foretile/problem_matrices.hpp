// SPDX-License-Identifier: BSD-3-Clause
// foretile problem matrices: a problem of matrices in files.
#pragma once

#include <CLI/CLI.hpp>

namespace foretile {

/// Adds the kind to `foretile problem`.
void add_matrices(CLI::App& group);

}  // namespace foretile
