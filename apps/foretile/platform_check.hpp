// SPDX-License-Identifier: BSD-3-Clause
// foretile platform check.
#pragma once

#include <CLI/CLI.hpp>

namespace foretile {

/// Adds the command to `foretile platform`.
void add_platform_check(CLI::App& group);

}  // namespace foretile
