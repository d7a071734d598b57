// SPDX-License-Identifier: BSD-3-Clause
#include "apps/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <tuple>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

namespace {

constexpr std::string_view platform_prefix = "platform.";
constexpr std::string_view problem_prefix = "problem.";

std::pair<std::string, std::string> split(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size()) {
    throw input_error("--set", fmt::format("'{}'", setting), "key=value", "for example --set grid.p=2");
  }
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

}  // namespace

std::vector<std::string> Options::platform_settings() const {
  std::vector<std::string> found;
  for (const std::string& setting : set) {
    split(setting);
    if (setting.starts_with(platform_prefix)) found.push_back(setting);
  }
  if (!messages.empty()) found.push_back("platform.messages=" + messages);
  if (!placement.empty()) found.push_back("platform.fabric.placement=" + placement);
  return found;
}

bool Options::chooses_messages() const {
  return std::ranges::any_of(platform_settings(), [](const std::string& setting) {
    return setting.starts_with("platform.messages=");
  });
}

Settings Options::settings() const {
  Settings found;
  for (const std::string& setting : set) {
    auto [key, value] = split(setting);
    if (!key.starts_with(platform_prefix) && !key.starts_with(problem_prefix))
      found[present_key(key)] = value;
  }
  return found;
}

Settings Options::tiling() const {
  Settings found;
  for (const std::string& setting : set) {
    auto [key, value] = split(setting);
    if (key.starts_with(problem_prefix)) found[key.substr(problem_prefix.size())] = value;
  }
  return found;
}

void Options::expect_only_platform_settings() const {
  Settings others = settings();
  for (const auto& [key, value] : tiling()) others[std::string(problem_prefix) + key] = value;
  for (const auto& [key, value] : others)
    throw input_error("--set", fmt::format("the key '{}'", key), "a key that begins with 'platform.'");
}

const char* const kSetMeaning =
    "Set a parameter of the strategy, of the platform (platform.KEY) or of the tiling (problem.KEY). "
    "Repeatable, such as grid.p=2, platform.nvlink.bandwidth=100e9";

void add_json_option(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "Print the result as one JSON object");
}

void add_set_option(CLI::App& command, Options& options, const char* meaning) {
  command.add_option("--set", options.set, meaning)->type_name("KEY=VALUE")->allow_extra_args(false);
}

void add_messages_option(CLI::App& command, Options& options) {
  command
      .add_option(
          "--messages", options.messages,
          "Memory in which ranks receive tiles of A and B: the host's, or the GPUs' own (GPU-aware MPI), "
          "from "
          "where they are sent on. Default: as the platform says")
      ->check(CLI::IsMember({"host", "device"}));
}

void add_extent_options(CLI::App& command, ProgramSizes& sizes) {
  for (const auto& [option, size, meaning] :
       {std::tuple("--o", &sizes.occupied, "Of a program: number of occupied orbitals of each spin"),
        {"--v", &sizes.virtuals, "Of a program: number of virtual orbitals of each spin"},
        {"--vectors", &sizes.vectors,
         "Of a program with an auxiliary space: its extent, such as the number of Cholesky vectors"},
        {"--vector-tile", &sizes.vector_tile,
         "Of a program with an auxiliary space: largest extent of a tile of it. Default: 1000"}})
    command.add_option(option, *size, meaning)
        ->check(CLI::Range(std::int64_t{1}, kMostExtent))
        ->type_name("N");
}

void add_slices_option(CLI::App& command, ProgramSizes& sizes) {
  command
      .add_option("--slices", sizes.slices,
                  "Of a program: slices in which on-demand intermediates are made and used. Default: as few "
                  "as fit; of foretile-run 1")
      ->check(CLI::Range(1, kMostSlices))
      ->type_name("N");
}

void add_size_options(CLI::App& command, ProgramSizes& sizes) {
  add_extent_options(command, sizes);
  command.add_option("--tile", sizes.tile, "Of a program: largest extent of a tile")
      ->check(CLI::Range(std::int64_t{1}, kMostExtent))
      ->type_name("N");
}

std::string sizes_example(const ProgramSizes& sizes) {
  const auto or_else = [](std::int64_t given, std::int64_t example) { return given > 0 ? given : example; };
  return fmt::format("give it: --o {} --v {} --tile {}", or_else(sizes.occupied, 108),
                     or_else(sizes.virtuals, 324), or_else(sizes.tile, 45));
}

void refuse_options(const GivenOptions& options, const std::string& found, const std::string& expected,
                    const std::string& why) {
  for (const auto& [option, given] : options) {
    if (given)
      throw input_error(option, found, expected,
                        fmt::format("leave {} out{}{}", option, why.empty() ? "" : ": ", why));
  }
}

void refuse_beside_plan(const GivenOptions& options, const std::string& plan) {
  refuse_options(options, fmt::format("the plan {}", quote(plan)), "PROGRAM.txt",
                 "the plan says it; or plan again");
}

CLI::Validator whole_number_check(std::int64_t low) {
  const auto complaint = [low](std::string& text) -> std::string {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= low) return {};
    return fmt::format("found '{}', expected a whole number from {} to {}", text, low,
                       std::numeric_limits<std::int64_t>::max());
  };
  return CLI::Validator(complaint, "");
}

CLI::Validator not_empty_check() {
  const auto complaint = [](std::string& text) -> std::string {
    return text.empty() ? "found '', expected a value" : std::string();
  };
  return CLI::Validator(complaint, "");
}

std::string command_text(const std::string& program, const CLI::App& command) {
  std::string text = program;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const bool flag = option->get_expected_max() == 0;
    for (const std::string& word : option->results()) {
      if (!option->get_positional()) text += " " + option->get_name();
      if (!flag) text += " " + word;
    }
  }
  return text;
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace foretile
