// SPDX-License-Identifier: BSD-3-Clause
// What `foretile` and `foretile-run` have in common: parsing, errors and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

namespace foretile {

/// Prints "PROGRAM: text" on stderr as one line (one_line() in base/one_line.hpp). Every error and warning of
/// the programs goes through it.
void print_message(std::string_view program, std::string_view text);

/// Parses the command line and runs the chosen command's callback. Errors go to `say` as "NAME", "what".
/// Returns the exit code: 0 done, 1 the work failed (WorkError, or anything unforeseen),
/// 2 wrong usage or input (InputError, a command line that does not parse); a CLI::RuntimeError brings its
/// own.
int run_program(CLI::App& app, int argc, char** argv,
                const std::function<void(std::string_view, std::string_view)>& say = print_message);

/// False, and a line on stderr, where the limit on the stack (ulimit -s) is too low for the programs and for
/// their threads, which take it over. Call it first in main.
bool has_stack(std::string_view program);

}  // namespace foretile
