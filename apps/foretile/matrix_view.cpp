// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/matrix_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/matrix_sums.hpp"
#include "base/matrix_files/read_speed.hpp"
#include "base/one_line.hpp"
#include "base/threads.hpp"
#include "planner/problem/kinds/matrices.hpp"

namespace foretile {

namespace {

double share(std::int64_t count, const MatrixFacts& facts) {
  return static_cast<double>(count) / static_cast<double>(facts.rows) / static_cast<double>(facts.columns);
}

std::string line(std::string_view label, std::string_view value) {
  return fmt::format("  {:<21}{}\n", label, value);
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *least == *most ? fmt::format("{} of {}", sizes.size(), *most)
                         : fmt::format("{} of {} to {}", sizes.size(), *least, *most);
}

std::string matrix_text(const std::string& name, const MatrixReader& matrix, const MatrixSums& sums) {
  const MatrixFacts& facts = matrix.facts();
  std::string text = fmt::format("{}: {}\n", one_line(name), describe(facts));
  text += line("stored", fmt::format("{} elements, {}", grouped(facts.stored),
                                     quantity(static_cast<double>(facts.bytes()), "B")));
  if (facts.layout == MatrixLayout::block_sparse) {
    text += line("nonzero tiles", grouped(std::ssize(facts.tiles)));
    text += line("tiles along rows", sizes_text(facts.row_tiles));
    text += line("tiles along columns", sizes_text(facts.column_tiles));
  }
  text +=
      line("nonzeros", fmt::format("{}, {}", grouped(sums.nonzeros), percent(share(sums.nonzeros, facts))));
  text += line("Frobenius norm", fmt::format("{:.6g}", sums.norm()));
  text += line("largest element", fmt::format("{:.6g}", sums.largest));
  if (sums.not_finite > 0) text += line("not finite", fmt::format("{} elements", grouped(sums.not_finite)));
  return text + line("digest", matrix.digest());
}

nlohmann::ordered_json matrix_json(const std::string& name, const MatrixReader& matrix,
                                   const MatrixSums& sums) {
  const MatrixFacts& facts = matrix.facts();
  nlohmann::ordered_json json{{"name", one_line(name)},
                              {"rows", facts.rows},
                              {"columns", facts.columns},
                              {"precision", name_of(facts.element.precision)},
                              {"complex", facts.element.is_complex},
                              {"layout", name_of(facts.layout)},
                              {"stored", facts.stored},
                              {"bytes", facts.bytes()},
                              {"nonzeros", sums.nonzeros},
                              {"not_finite", sums.not_finite},
                              {"norm", nullptr},
                              {"largest", sums.largest},
                              {"digest", matrix.digest()}};
  if (std::isfinite(sums.norm())) json["norm"] = sums.norm();
  if (facts.layout != MatrixLayout::block_sparse) return json;
  json["nonzero_tiles"] = facts.tiles.size();
  json["row_tiles"] = facts.row_tiles;
  json["column_tiles"] = facts.column_tiles;
  return json;
}

constexpr double kMeasured_s = 1;

std::string speed_text(const ReadSpeed& speed, std::int64_t tile) {
  return line(fmt::format("read in {} x {}", tile, tile),
              fmt::format("{} by one core, {} by {} together", quantity(speed.one_thread, "B/s"),
                          quantity(speed.all_threads, "B/s"), speed.threads)) +
         line("", fmt::format("--set platform.file.core_rate={:.3g} --set platform.file.bandwidth={:.3g}",
                              speed.one_thread, speed.all_threads));
}

nlohmann::ordered_json speed_json(const ReadSpeed& speed, std::int64_t tile) {
  return {{"tile", tile},
          {"core_bytes_per_s", speed.one_thread},
          {"bytes_per_s", speed.all_threads},
          {"cores", speed.threads}};
}

/// Calls visit("A", input) for each matrix of the problem.
template <class Visit>
void for_each_input(const Problem& problem, const Visit& visit) {
  const auto matrices = matrices_of(problem);
  if (!matrices) return;
  visit("A", matrices->a);
  visit("B", matrices->b);
  if (matrices->c) visit("C", *matrices->c);
}

}  // namespace

void show_matrix(const std::string& text, std::int64_t speed_tile, bool json) {
  const MatrixPlace place = parse_matrix_place(text);
  const auto matrix = open_matrix(place);
  const MatrixSums sums = sums_of(*matrix);
  std::optional<ReadSpeed> speed;
  if (speed_tile > 0) speed = read_speed(*matrix, speed_tile, usable_cores(), kMeasured_s);
  if (json) {
    auto shown = matrix_json(name_of(place), *matrix, sums);
    if (speed) shown["read"] = speed_json(*speed, speed_tile);
    print_json(shown);
  } else {
    fmt::print("{}", matrix_text(name_of(place), *matrix, sums));
    if (speed) fmt::print("{}", speed_text(*speed, speed_tile));
  }
}

std::string inputs_text(const Problem& problem) {
  std::string text;
  for_each_input(problem, [&](std::string_view name, const MatrixInput& input) {
    text += fmt::format("  {:<6}{}, {} in the file\n", name, one_line(input.place),
                        quantity(static_cast<double>(input.bytes), "B"));
  });
  if (text.empty()) return text;
  const std::optional<Matrix> window = matrices_of(problem)->window;
  if (window)
    text += fmt::format("  {} is read tile by tile during the run{}\n", *window == Matrix::a ? "A" : "B",
                        *window == Matrix::a ? "; planned is C^T = op(B)^T op(A)^T" : "");
  return "\n" + text;
}

nlohmann::ordered_json inputs_json(const Problem& problem) {
  nlohmann::ordered_json json;
  for_each_input(problem, [&](std::string_view name, const MatrixInput& input) {
    json[std::string(name)] = {
        {"file", one_line(input.place)}, {"bytes", input.bytes}, {"digest", input.digest}};
  });
  return json;
}

}  // namespace foretile
