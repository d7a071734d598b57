// SPDX-License-Identifier: BSD-3-Clause
// foretile platform list: all names, by group.
// foretile platform show NAME: a machine description with its figures in SI units.
// foretile platform compare A B: two of them side by side; with --problem: it, tuned on each of several.
// foretile platform check NAME: collective operations (apps/foretile/platform_check.cpp).
// foretile platform new: the file of a machine from a few figures (apps/foretile/platform_new.cpp).
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/compare_problem.hpp"
#include "apps/foretile/platform_check.hpp"
#include "apps/foretile/platform_new.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/sensitivity.hpp"
#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "platforms/compare_view.hpp"
#include "platforms/list.hpp"
#include "platforms/show.hpp"

namespace foretile {

namespace {

constexpr const char* what_a_platform_is = "A name that `foretile platform list` prints, or a platform file";

struct PlatformArguments {
  std::string name;
  Options options;
};

struct ShowPlatformArguments : PlatformArguments {
  std::string problem;  ///< of --sensitivity; empty: none
  int nodes = 1;
};

/// How much the problem's time depends on the platform's guesses.
void show_sensitivity(const ShowPlatformArguments& arguments) {
  if (is_program(arguments.problem))
    throw input_error("--sensitivity", fmt::format("the program {}", quote(arguments.problem)), "a problem",
                      "name a problem file or an example such as c65-v1");
  CaseArguments question{arguments.problem, arguments.name, {}, arguments.options};
  question.size.nodes = arguments.nodes;
  ProgressLine line;
  const Case the_case = load_case(question);
  const PlannedWork work = plan_case(the_case, line);
  const Sensitivity found = sensitivity(the_case, work, line);
  erase_progress();
  if (!arguments.options.json) return fmt::print("{}", sensitivity_text(found));
  nlohmann::ordered_json json = platform_summary_json(the_case.platform);
  json["sensitivity"] = sensitivity_json(found);
  print_json(json);
}

void show(const ShowPlatformArguments& arguments) {
  arguments.options.expect_only_platform_settings();
  if (!arguments.problem.empty()) return show_sensitivity(arguments);
  const Platform platform = named_platform(arguments.name, arguments.options.platform_settings());
  warn_of_doubts(platform);
  if (arguments.options.json) {
    print_json(platform_summary_json(platform));
  } else {
    fmt::print("{}", show_platform(platform));
  }
}

void compare(const CompareProblemArguments& arguments) {
  const std::vector<std::string>& names = arguments.platforms;
  if (!arguments.tune.problem.empty()) return compare_problem(arguments);
  for (const auto& [option, is_given] : arguments.given()) {
    if (is_given) throw input_error(option, "it without --problem", "a problem to tune", "give --problem");
  }
  if (names.size() != 2)
    throw input_error("platform compare", fmt::format("{} platforms", names.size()), "two, or --problem",
                      "give two names");
  const Platform first = named_platform(names[0]);
  const Platform second = named_platform(names[1]);
  warn_of_doubts(first);
  warn_of_doubts(second);
  const PlatformComparison comparison = compare_platforms(first, second);
  if (const std::string warning = runtime_warning(comparison); !warning.empty()) {
    print_message("foretile", "warning: " + warning);
  }
  if (arguments.tune.options.json) {
    print_json(comparison_json(comparison));
  } else {
    fmt::print("{}", comparison_text(comparison));
  }
}

nlohmann::ordered_json list_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const NamedPlatform& platform : named_platforms()) {
    all.push_back({{"name", platform.name},
                   {"group", title_of(platform.group)},
                   {"description", platform.description},
                   {"file", platform.file.string()},
                   {"shadows", platform.shadows.string()}});
  }
  return all;
}

void list(const Options& options) {
  if (options.json) return print_json(list_json());
  std::optional<PlatformGroup> group;
  for (const NamedPlatform& platform : named_platforms()) {
    if (platform.group != group) fmt::print("{}{}\n", group ? "\n" : "", title_of(platform.group));
    group = platform.group;
    fmt::print("  {}: {}\n", platform.name, one_line(platform.description));
    if (!platform.file.empty()) fmt::print("      {}\n", one_line(platform.file.string()));
    if (!platform.shadows.empty()) fmt::print("      hides {}\n", one_line(platform.shadows.string()));
  }
}

void add_list(CLI::App& group) {
  CLI::App* command =
      group.add_subcommand("list", "Print the names of platforms, what they are and where their files are");
  const auto options = std::make_shared<Options>();
  add_json_option(*command, *options);
  command->callback([options] { list(*options); });
}

void add_show(CLI::App& group) {
  CLI::App* command = group.add_subcommand("show", "Print a machine's figures and draw one of its nodes");
  const auto arguments = std::make_shared<ShowPlatformArguments>();
  command->add_option("platform", arguments->name, what_a_platform_is)->check(not_empty_check())->required();
  CLI::Option* const sensitivity =
      command
          ->add_option("--sensitivity", arguments->problem,
                       "Instead: print how the time of this problem changes with each guess of the platform "
                       "25% lower and higher")
          ->check(not_empty_check())
          ->type_name("PROBLEM");
  command->add_option("--nodes", arguments->nodes, "With --sensitivity: number of nodes. Default: 1")
      ->needs(sensitivity);
  add_json_option(*command, arguments->options);
  add_set_option(*command, arguments->options,
                 "Set a key of the platform. Repeatable, such as platform.nvlink.bandwidth=100e9");
  command->callback([arguments] { show(*arguments); });
}

void add_compare(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "compare", "Print two machines side by side, or what a problem takes on several of them");
  const auto arguments = std::make_shared<CompareProblemArguments>();
  command
      ->add_option("platforms", arguments->platforms,
                   std::string(what_a_platform_is) + "; of two, ratios are second over first")
      ->check(not_empty_check())
      ->required();
  add_compare_problem_options(*command, *arguments);
  add_json_option(*command, arguments->tune.options);
  command->callback([arguments] { compare(*arguments); });
}

}  // namespace

void add_platform_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("platform", "Machine descriptions");
  group->require_subcommand(1);
  add_list(*group);
  add_show(*group);
  add_compare(*group);
  add_platform_check(*group);
  add_platform_new(*group);
}

}  // namespace foretile
