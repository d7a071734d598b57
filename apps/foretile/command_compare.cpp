// SPDX-License-Identifier: BSD-3-Clause
// foretile compare X REFERENCE: how far a matrix in a file is from another one.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "apps/foretile/commands.hpp"
#include "apps/options.hpp"
#include "base/error.hpp"
#include "base/matrix_files/compare_matrices.hpp"
#include "base/one_line.hpp"
#include "base/parse.hpp"

namespace foretile {

namespace {

constexpr std::size_t kNamedTiles = 5;

struct CompareArguments {
  std::string matrix, reference;
  std::int64_t tile = 1024;
  std::string tolerance;  ///< empty: the usual one
  Options options;
};

/// Room for the rounding of a product: its relative error is below K / 2 epsilons of the precision, and
/// usually near the square root of K.
double usual_tolerance(Precision precision) {
  return precision == Precision::f64 ? 1e-12 : 1e-4;
}

std::string place_text(const MatrixRectangle& r) {
  return fmt::format("[{}:{}, {}:{}]", r.row, r.row + r.rows, r.column, r.column + r.columns);
}

nlohmann::ordered_json number_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : "inf";
}

nlohmann::ordered_json difference_json(const MatrixDifference& d, double tolerance, bool same) {
  nlohmann::ordered_json json{{"difference", number_json(d.norm)},
                              {"reference_norm", number_json(d.reference_norm)},
                              {"relative_difference", number_json(d.relative)},
                              {"tolerance", tolerance},
                              {"within_tolerance", same},
                              {"largest_difference", d.largest},
                              {"largest_at", {d.largest_row, d.largest_column}},
                              {"not_finite", d.not_finite},
                              {"worst_tiles", nlohmann::ordered_json::array()}};
  for (const auto& [r, norm] : d.worst)
    json["worst_tiles"].push_back({{"row", r.row},
                                   {"column", r.column},
                                   {"rows", r.rows},
                                   {"columns", r.columns},
                                   {"difference", number_json(norm)}});
  return json;
}

std::string difference_text(const MatrixDifference& d, double tolerance) {
  std::string text = fmt::format("  {:<23}{:.4g}, relative {:.4g}, tolerance {:.4g}\n",
                                 "difference (Frobenius)", d.norm, d.relative, tolerance);
  text += fmt::format("  {:<23}{:.6g}\n", "norm of the reference", d.reference_norm);
  if (d.largest > 0)
    text += fmt::format("  {:<23}{:.4g} at row {}, column {}, counted from 0\n", "largest difference",
                        d.largest, d.largest_row, d.largest_column);
  if (d.not_finite > 0) text += fmt::format("  {:<23}{} elements\n", "infinite or no number", d.not_finite);
  for (const auto& [place, norm] : d.worst)
    text += fmt::format("  {:<23}{:.4g} in {}\n", &norm == &d.worst.front().norm ? "worst tiles" : "", norm,
                        place_text(place));
  return text;
}

void compare(const CompareArguments& arguments) {
  const std::string& given = arguments.tolerance;
  const double chosen = given.empty() ? 0 : parse_real(given, "--tolerance", 0, 1e300);
  const MatrixPlace x = parse_matrix_place(arguments.matrix), y = parse_matrix_place(arguments.reference);
  const auto matrix = open_matrix(x), reference = open_matrix(y);
  const MatrixDifference d = compare_matrices(x, *matrix, y, *reference, arguments.tile, kNamedTiles);
  const double tolerance = given.empty() ? usual_tolerance(matrix->facts().element.precision) : chosen;
  const bool same = d.relative <= tolerance;  // false for what is no number
  if (arguments.options.json) {
    print_json(difference_json(d, tolerance, same));
  } else {
    fmt::print("{} and {}\n{}", one_line(name_of(x)), one_line(name_of(y)), difference_text(d, tolerance));
  }
  if (!same)
    throw WorkError(fmt::format("{} and {}: they differ by {:.4g} of the norm, more than {:.4g}",
                                quote(name_of(x)), quote(name_of(y)), d.relative, tolerance));
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Compare two matrices in files");
  const auto arguments = std::make_shared<CompareArguments>();
  command->add_option("matrix", arguments->matrix, "A matrix: FILE.npy, FILE.mtx or FILE.h5:/DATASET")
      ->required();
  command->add_option("reference", arguments->reference, "What it should be")->required();
  command->add_option("--tile", arguments->tile, "Rows and columns that are compared at a time")
      ->check(whole_number_check(1))
      ->capture_default_str();
  command
      ->add_option(
          "--tolerance", arguments->tolerance,
          "Largest Frobenius norm of the difference relative to that of the reference; above it exit "
          "code 1. Default: 1e-12 in double precision, 1e-4 in single")
      ->check(not_empty_check())
      ->type_name("NUMBER");
  add_json_option(*command, arguments->options);
  command->callback([arguments] { compare(*arguments); });
}

}  // namespace foretile
