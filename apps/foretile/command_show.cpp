// foretile show PROBLEM: what RR-9365 Table 1 tells of a problem, and a picture of its shapes.
#include <fmt/format.h>

#include <memory>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/shape_picture.hpp"
#include "apps/foretile/traits_view.hpp"
#include "apps/options.hpp"
#include "planner/problem/problem.hpp"

namespace foretile {

namespace {

struct ShowArguments {
  std::string problem;
  std::string picture;
  Options options;
};

void show(const ShowArguments& arguments) {
  if (!arguments.picture.empty()) check_picture_path(arguments.picture);
  const Contraction contraction = build_contraction(load_problem(arguments.problem));
  if (!arguments.picture.empty()) draw_shapes(contraction, arguments.picture);
  if (arguments.options.json) {
    nlohmann::ordered_json json = traits_json(contraction);
    if (!arguments.picture.empty()) json["picture"] = arguments.picture;
    print_json(json);
    return;
  }
  fmt::print("{}", traits_text(contraction));
  if (!arguments.picture.empty()) fmt::print("\nThe shapes are drawn in {}\n", arguments.picture);
}

}  // namespace

void add_show_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("show", "Show a problem's traits and draw its shapes");
  const auto arguments = std::make_shared<ShowArguments>();
  command->add_option("problem", arguments->problem, "A problem file, or an example such as c65-v1")
      ->check(not_empty_check())
      ->required();
  command->add_option("--picture", arguments->picture, "Draw A, B and C into this .png or .svg file")
      ->check(not_empty_check());
  add_json_option(*command, arguments->options);
  command->callback([arguments] { show(*arguments); });
}

}  // namespace foretile
