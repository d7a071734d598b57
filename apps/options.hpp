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
  // Keys of the platform with options of their own, which hold over `set`. Empty: not given.
  std::string messages;   ///< "host" or "device"
  std::string placement;  ///< Fabric::placement

  /// Of those that say something about the platform or the plan, which were given.
  std::vector<std::pair<const char*, bool>> given_settings() const {
    return {{"--set", !set.empty()}, {"--messages", !messages.empty()}, {"--placement", !placement.empty()}};
  }

  /// Whether the memory that receives messages was chosen, by whichever option.
  bool chooses_messages() const;
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

/// What options of several commands mean, for --help.
inline constexpr const char* kProblemMeaning =
    "A problem file, an example such as `c65-v1`, a plan file (.json), or a program (.txt, or ccsd)";
inline constexpr const char* kPlannedForMeaning =
    "The machine: a name that `foretile platform list` prints, or a platform file. Default: `here`, this "
    "machine";
inline constexpr const char* kTraceMeaning =
    "Write all operations with their times in Chrome's trace format, for ui.perfetto.dev";
inline constexpr const char* kPlanOrderMeaning =
    "Loads, hits and evictions follow the plan's order, not what ends first. No device takes blocks of "
    "another";
inline constexpr const char* kAssignmentOutMeaning =
    "With sharing=dynamic: write which device took which blocks, in which order";

/// Every command takes --json.
void add_json_option(CLI::App& command, Options& options);
extern const char* const kSetMeaning;
/// Commands with a platform or a strategy take --set.
void add_set_option(CLI::App& command, Options& options, const char* meaning = kSetMeaning);

/// Commands that plan take --messages, which sets a key of the platform.
void add_messages_option(CLI::App& command, Options& options);

/// Of a program's index spaces and their tiles.
inline constexpr std::int64_t kMostExtent = 1'000'000;

/// Commands with a program take --o, --v, --vectors and --vector-tile.
void add_extent_options(CLI::App& command, ProgramSizes& sizes);
/// And --tile.
void add_size_options(CLI::App& command, ProgramSizes& sizes);
void add_slices_option(CLI::App& command, ProgramSizes& sizes);
/// "give it: --o 108 --v 324 --tile 45", with the sizes that are given: the end of an error about a missing
/// one.
std::string sizes_example(const ProgramSizes& sizes);

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

/// What the user gave, in the order of --help: "foretile report c12 --nodes 2", without quotes.
std::string command_text(const std::string& program, const CLI::App& command);

/// Prints a result for scripts, indented, with a newline.
void print_json(const nlohmann::ordered_json& json);

}  // namespace foretile
