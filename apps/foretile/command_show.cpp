// SPDX-License-Identifier: BSD-3-Clause
// foretile show PROBLEM: what RR-9365 Table 1 tells of a problem, and a picture of its shapes; or a matrix in
// a file.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/matrix_view.hpp"
#include "apps/foretile/molecule_sizes.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/shape_picture.hpp"
#include "apps/foretile/tensor_view.hpp"
#include "apps/foretile/traits_view.hpp"
#include "apps/options.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile {

namespace {

struct ShowArguments {
  std::string problem;
  std::string picture;
  std::string dot;
  std::int64_t speed = 0;  ///< rows of tiles that are read; 0: not measured
  ProgramSizes sizes;      ///< 0: not given
  MoleculeArguments molecule;
  std::optional<MoleculeCase> from;  ///< where sizes were taken from a molecule
  Options options;
};

void show_matrix_of(const ShowArguments& arguments) {
  if (!arguments.picture.empty())
    throw input_error("--picture", fmt::format("the matrix {}", quote(arguments.problem)), "a problem",
                      "draw a problem of it: foretile problem matrices");
  show_matrix(arguments.problem, arguments.speed, arguments.options.json);
}

void show_program(const ShowArguments& arguments) {
  for (const auto& [option, given] :
       {std::pair("--picture", !arguments.picture.empty()), {"--speed", arguments.speed > 0}}) {
    if (given)
      throw input_error(option, fmt::format("the program {}", quote(arguments.problem)),
                        "a problem or a matrix", fmt::format("leave {} out", option));
  }
  if (!arguments.dot.empty()) write_term_graph(arguments.problem, arguments.sizes, arguments.dot);
  if (arguments.options.json) {
    nlohmann::ordered_json json = program_json(arguments.problem, arguments.sizes);
    if (arguments.from) json["molecule"] = molecule_json(*arguments.from);
    if (!arguments.dot.empty()) json["dot"] = arguments.dot;
    return print_json(json);
  }
  const std::string text = program_text(arguments.problem, arguments.sizes);
  fmt::print("{}{}", arguments.from ? molecule_text(*arguments.from) + "\n" : "", text);
  if (!arguments.dot.empty()) fmt::print("\nThe graph is drawn in {}\n", one_line(arguments.dot));
}

void show(ShowArguments& arguments) {
  arguments.from = take_molecule(arguments.molecule, arguments.problem, arguments.sizes,
                                 {{"--dot", arguments.dot}, {"--picture", arguments.picture}});
  check_sizes(arguments.problem, arguments.sizes);
  if (is_program_file(arguments.problem)) return show_program(arguments);
  if (!arguments.dot.empty())
    throw input_error("--dot", quote(arguments.problem), "a program: FILE.txt",
                      is_matrix_place(arguments.problem) ? "leave --dot out"
                                                         : "draw the graph of a plan: foretile plan --dot");
  if (is_matrix_place(arguments.problem)) return show_matrix_of(arguments);
  if (arguments.speed > 0)
    throw input_error("--speed", fmt::format("the problem {}", quote(arguments.problem)),
                      "a matrix in a file",
                      "leave --speed out, or name a matrix: FILE.npy, FILE.h5:/DATASET");
  if (!arguments.picture.empty()) check_picture_path(arguments.picture);
  const Problem problem = load_problem(arguments.problem);
  const Contraction planned = build_contraction(problem);
  const Contraction contraction = planned.is_transposed ? transposed(planned) : planned;
  if (!arguments.picture.empty()) draw_shapes(contraction, arguments.picture);
  if (arguments.options.json) {
    nlohmann::ordered_json json = traits_json(contraction);
    if (const auto inputs = inputs_json(problem); !inputs.is_null()) json["files"] = inputs;
    if (const auto fusion = fusion_json(problem); !fusion.is_null()) json["fusion"] = fusion;
    if (!arguments.picture.empty()) json["picture"] = arguments.picture;
    print_json(json);
    return;
  }
  fmt::print("{}{}{}", traits_text(contraction), inputs_text(problem), fusion_text(problem));
  if (!arguments.picture.empty()) fmt::print("\nThe shapes are drawn in {}\n", arguments.picture);
}

}  // namespace

void add_show_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "show", "Show a problem's traits and draw its shapes, or show a matrix or a program in a file");
  const auto arguments = std::make_shared<ShowArguments>();
  command
      ->add_option(
          "problem", arguments->problem,
          "A problem file, an example such as `c65-v1`, a matrix (FILE.npy, FILE.mtx, FILE.h5:/DATASET), "
          "or a program (.txt, or ccsd)")
      ->check(not_empty_check())
      ->required();
  command
      ->add_option("--picture", arguments->picture,
                   "Of a problem: draw A, B and C into this .png or .svg file")
      ->check(not_empty_check())
      ->type_name("FILE");
  command->add_option("--dot", arguments->dot, "Of a program: write the graph of its terms for GraphViz")
      ->check(not_empty_check())
      ->type_name("FILE.dot");
  command
      ->add_option(
          "--speed", arguments->speed,
          "Of a matrix: measure how fast tiles of so many rows and columns are read, for the platform's "
          "keys file.*")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{8192}))
      ->type_name("TILE");
  add_size_options(*command, arguments->sizes);
  add_molecule_options(*command, arguments->molecule);
  add_json_option(*command, arguments->options);
  command->callback([arguments] { show(*arguments); });
}

}  // namespace foretile
