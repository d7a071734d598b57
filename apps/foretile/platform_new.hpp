// SPDX-License-Identifier: BSD-3-Clause
// foretile platform new.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <map>
#include <string>

#include "platforms/new_platform.hpp"

namespace foretile {

/// A machine to describe, and where its file goes.
struct NewPlatformFile {
  NewPlatform machine;
  std::string output;
};

/// Texts of options, "--nodes" and so on, as given on the command line.
using FigureTexts = std::map<std::string, std::string>;

/// Where missing figures are asked for.
struct QuestionTerminal {
  std::istream& in;
  std::ostream& out;
};

/// What the options say. Figures that are missing are asked for on the terminal; a wrong answer is asked for
/// again. Without one (nullptr), or where its input ends, the error lists all options that are missing.
/// Throws InputError.
NewPlatformFile new_platform_file(const FigureTexts& given, const QuestionTerminal* terminal);

/// Adds the command to `foretile platform`.
void add_platform_new(CLI::App& group);

}  // namespace foretile
