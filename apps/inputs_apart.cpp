// SPDX-License-Identifier: BSD-3-Clause
#include "apps/inputs_apart.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "base/matrix_files/output_conflict.hpp"
#include "planner/problem/kinds/matrices.hpp"
#include "planner/strategies/distribution_setting.hpp"

namespace foretile {

void require_inputs_apart(std::string_view option, const std::filesystem::path& path,
                          const Problem& problem) {
  const auto inputs = path.empty() ? std::nullopt : matrices_of(problem);
  if (!inputs) return;
  require_different(option, path, "A", parse_matrix_place(inputs->a.place).file);
  require_different(option, path, "B", parse_matrix_place(inputs->b.place).file);
  if (inputs->c) require_different(option, path, "C", parse_matrix_place(inputs->c->place).file);
}

namespace {

void require_apart(const MatrixPlace& output, const char* name, const MatrixInput& input,
                   const std::string& advice) {
  if (!would_replace(output, parse_matrix_place(input.place))) return;
  throw input_error(fmt::format("--output and {}", name),
                    fmt::format("the same file or dataset '{}'", name_of(output)), "two files or datasets",
                    advice);
}

}  // namespace

void require_output_free(const std::string& output, bool overwrite, const Problem& problem) {
  if (output.empty()) return;
  const MatrixPlace place = parse_output_place(output);
  if (const auto inputs = matrices_of(problem)) {
    const std::string advice = "choose another file or dataset";
    require_apart(place, "A", inputs->a, advice);
    require_apart(place, "B", inputs->b, advice);
    if (inputs->c && !overwrite)
      require_apart(place, "C", *inputs->c, advice + ", or add --overwrite to replace the initial C");
  }
  require_not_taken(place, overwrite);
}

void require_not_taken(const MatrixPlace& place, bool overwrite) {
  if (overwrite || !is_taken(place)) return;
  throw input_error("--output", fmt::format("'{}', which is there already", name_of(place)),
                    "the name of a new dataset", "choose another name, or add --overwrite to replace it");
}

void require_no_table(const char* option, const std::string& output, const Settings& settings) {
  for (const auto& [key, value] : settings) {
    if (const auto table = table_of(value)) require_different(option, output, key.c_str(), *table);
  }
}

}  // namespace foretile
