// SPDX-License-Identifier: BSD-3-Clause
// What `foretile` and `foretile-run` have in common: parsing, errors and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace foretile {

/// Parses the command line and runs the chosen command's callback. Errors go to stderr as one line
/// "NAME: what". Returns the exit code: 0 done, 1 the work failed (WorkError, or anything unforeseen),
/// 2 wrong usage or input (InputError, a command line that does not parse); a CLI::RuntimeError brings its
/// own.
int run_program(CLI::App& app, int argc, char** argv);

/// Prints "PROGRAM: text" on stderr as one line (one_line() in base/one_line.hpp). Every error and warning of
/// the programs goes through it.
void print_message(std::string_view program, std::string_view text);

}  // namespace foretile
