// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/problem_matrices.hpp"

#include <memory>
#include <utility>

#include "apps/foretile/problem_output.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "planner/problem/kinds/matrices_from_files.hpp"

namespace foretile {

namespace {

struct MatricesArguments {
  MatrixRequest request;
  std::string window;
  std::string c_shape = "computed";
  ProblemOutput output;
};

void check_c(const MatricesArguments& arguments) {
  const bool reads_c = arguments.output.beta && complex_number("--beta", *arguments.output.beta) != 0.0;
  if (reads_c && arguments.request.c.empty())
    throw input_error("--beta", *arguments.output.beta, "--c FILE beside a beta that is not 0",
                      "name the file of the initial C");
  if (!reads_c && !arguments.request.c.empty())
    throw input_error("--c", "a file of C that is not read", "--beta with a number that is not 0",
                      "add for example --beta 1, or leave --c out");
  if (arguments.c_shape == "kept" && !reads_c)
    throw input_error("--c-shape", "kept without an initial C", "--c FILE and a --beta that is not 0",
                      "leave --c-shape out");
}

void write_matrices(const MatricesArguments& arguments) {
  check_c(arguments);
  for (const auto& [name, given] : {std::pair("--a", &arguments.request.a),
                                    {"--b", &arguments.request.b},
                                    {"--c", &arguments.request.c}}) {
    if (!given->empty())
      require_different("--output", arguments.output.file, name, parse_matrix_place(*given).file);
  }
  MatrixRequest request = arguments.request;
  ProblemOutput output = arguments.output;
  request.a_op = op_named(output.a_op);
  request.b_op = op_named(output.b_op);
  request.keep_c = arguments.c_shape == "kept";
  if (!arguments.window.empty()) request.window = arguments.window == "A" ? Matrix::a : Matrix::b;
  const MatrixProblem problem = matrices_from_files(request);
  output.precision = name_of(problem.element.precision);
  output.is_complex = problem.element.is_complex;
  if (problem.usual_tiles) tune_tiles(problem.parameters.indices, output);
  write_problem(matrices_problem_toml(problem.parameters), output, "matrices");
}

}  // namespace

void add_matrices(CLI::App& group) {
  CLI::App& command =
      *group.add_subcommand("matrices", "Matrices in NumPy, HDF5 and Matrix Market files (docs/files.md)");
  const auto arguments = std::make_shared<MatricesArguments>();
  MatrixRequest& request = arguments->request;
  const char* const place = "MATRIX";
  command
      .add_option("--a", request.a, "A: FILE.npy, FILE.mtx or FILE.h5:/DATASET; with --op-a T it is K x M")
      ->required()
      ->type_name(place);
  command.add_option("--b", request.b, "B, in such a file; with --op-b T it is N x K")
      ->required()
      ->type_name(place);
  command.add_option("--c", request.c, "The initial C, in such a file, with a --beta that is not 0")
      ->check(not_empty_check())
      ->type_name(place);
  command
      .add_option("--c-shape", arguments->c_shape,
                  "kept (C has only the tiles of its file; products for others are left out) or computed "
                  "(also those of the product)")
      ->check(CLI::IsMember({"computed", "kept"}))
      ->capture_default_str();
  command
      .add_option("--window", arguments->window,
                  "The operand that is read tile by tile during the run; it may be larger than memory")
      ->check(CLI::IsMember({"A", "B"}));
  add_problem_options(command, arguments->output);
  add_tile_options(command, request.indices,
                   "those of block-sparse files, else at most 2048 rows of C and 1024 along K");
  command.callback([arguments] { write_matrices(*arguments); });
}

}  // namespace foretile
