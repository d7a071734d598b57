// The options that every command takes.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace foretile {

struct Options {
  bool json = false;             ///< results as one JSON object on stdout
  std::vector<std::string> set;  ///< "key=value", in the order given; the last one of a key holds

  /// The keys that begin with "platform.", as load_platform() takes them.
  std::vector<std::string> platform_settings() const;
  /// All other keys: those of the strategy or the problem. Throws InputError for text that is not key=value.
  Settings settings() const;
};

/// Adds --json and --set to a command.
void add_options(CLI::App& command, Options& options);

/// Prints a result for scripts, indented, with a newline.
void print_json(const nlohmann::ordered_json& json);

}  // namespace foretile
