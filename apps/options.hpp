// SPDX-License-Identifier: BSD-3-Clause
// The options that commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

struct Options {
  bool json = false;             ///< results as one JSON object on stdout
  std::vector<std::string> set;  ///< "key=value", in the order given; the last one of a key holds

  /// The keys that begin with "platform.", as load_platform() takes them.
  std::vector<std::string> platform_settings() const;
  /// The tiling keys of the problem: those that begin with "problem.", without it.
  Settings tiling() const;
  /// All other keys: those of the strategy. Throws InputError for text that is not key=value.
  Settings settings() const;
  /// For commands without a strategy and a problem: throws InputError when a key does not begin with
  /// "platform.".
  void expect_only_platform_settings() const;
};

/// Every command takes --json.
void add_json_option(CLI::App& command, Options& options);
/// Of keys that a command sets.
extern const char* const kSetExamples;
extern const char* const kSetExamplesOfProgram;

/// Commands with a platform or a strategy take --set.
void add_set_option(CLI::App& command, Options& options, const std::string& examples = kSetExamples);

/// Commands with a program take --o, --v and --tile.
void add_size_options(CLI::App& command, ProgramSizes& sizes);

/// Options, and whether each was given.
using GivenOptions = std::vector<std::pair<const char*, bool>>;
/// Throws InputError for the first that was given: where `found` is what has no such option, `expected` what
/// has. `why` it is to be left out; may be empty.
void refuse_options(const GivenOptions& options, const std::string& found, const std::string& expected,
                    const std::string& why = "");
/// The same of options that choose what a plan file of a program has already.
void refuse_beside_plan(const GivenOptions& options, const std::string& plan);

/// For counts and seeds. Refuses what is no whole number from `low` to 2^63 - 1: CLI11 would take -1 for the
/// largest number.
CLI::Validator whole_number_check(std::int64_t low = 0);

/// Refuses an empty text, as an empty variable of a shell script gives.
CLI::Validator not_empty_check();

/// Prints a result for scripts, indented, with a newline.
void print_json(const nlohmann::ordered_json& json);

}  // namespace foretile
