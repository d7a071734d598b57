// foretile platform show NAME: a machine description with its figures in SI units.
#include <fmt/format.h>

#include <memory>

#include "apps/foretile/commands.hpp"
#include "apps/options.hpp"
#include "platforms/loader.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/show.hpp"

namespace foretile {

namespace {

struct PlatformArguments {
  std::string name;
  Options options;
};

void show(const PlatformArguments& arguments) {
  arguments.options.expect_only_platform_settings();
  const Platform platform = load_platform(arguments.name, arguments.options.platform_settings());
  if (arguments.options.json) {
    print_json(platform_summary_json(platform));
  } else {
    fmt::print("{}", show_platform(platform));
  }
}

}  // namespace

void add_platform_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("platform", "Machine descriptions");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("show", "Print a machine's figures and draw one of its nodes");
  const auto arguments = std::make_shared<PlatformArguments>();
  command->add_option("platform", arguments->name, "summit, raven, here (this machine), or a platform file")
      ->required();
  add_json_option(*command, arguments->options);
  add_set_option(*command, arguments->options);
  command->callback([arguments] { show(*arguments); });
}

}  // namespace foretile
