// SPDX-License-Identifier: BSD-3-Clause
// --placement: where the nodes of a job are in the fabric.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "apps/options.hpp"

namespace foretile {

/// "packed", "scattered", or what a file of lines "HOST GROUP [LEAF]" says, as the key
/// platform.fabric.placement takes it. Groups, and leaves of a group, get numbers in the order in which they
/// appear; # begins a comment. Throws InputError with the line.
std::string placement_setting(const std::string& text);

/// Adds --placement, which sets that key.
void add_placement_option(CLI::App& command, Options& options);

}  // namespace foretile
