// SPDX-License-Identifier: BSD-3-Clause
#include "apps/inputs_apart.hpp"

#include <optional>

#include "base/atomic_file.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "planner/problem/kinds/matrices.hpp"
#include "planner/strategies/deal_setting.hpp"

namespace foretile {

void require_inputs_apart(std::string_view option, const std::filesystem::path& path,
                          const Problem& problem) {
  const auto inputs = path.empty() ? std::nullopt : matrices_of(problem);
  if (!inputs) return;
  require_different(option, path, "A", parse_matrix_place(inputs->a.place).file);
  require_different(option, path, "B", parse_matrix_place(inputs->b.place).file);
  if (inputs->c) require_different(option, path, "C", parse_matrix_place(inputs->c->place).file);
}

void require_no_table(const char* option, const std::string& output, const Settings& settings) {
  for (const auto& [key, value] : settings) {
    if (const auto table = table_of(value)) require_different(option, output, key.c_str(), *table);
  }
}

}  // namespace foretile
