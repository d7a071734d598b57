// SPDX-License-Identifier: BSD-3-Clause
#include "apps/layout_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace foretile {

std::string layout_text(const FusedProgram& program) {
  const auto cut = std::ranges::count_if(program.layout().sum_pieces, [](int pieces) { return pieces > 1; });
  const char* const blocks =
      program.layout().owners.empty() ? "blocks in turn" : "blocks where they are needed";
  if (cut == 0) return fmt::format("{}, whole sums", blocks);
  return fmt::format("{}, sums of {} {} in pieces", blocks, cut, cut == 1 ? "term" : "terms");
}

std::string strategies_text(const FusedProgram& program) {
  std::map<std::string, std::vector<std::string>> terms;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (const std::string name = program.strategy(term); !name.empty())
      terms[name].push_back(program.program().terms[term].name);
  }
  std::string text;
  for (const auto& [name, of_strategy] : terms)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(of_strategy, ", "));
  return text;
}

nlohmann::ordered_json layout_json(const FusedProgram& program) {
  nlohmann::ordered_json json{{"blocks", program.layout().owners.empty() ? "in turn" : "chosen"},
                              {"sum_pieces", nlohmann::ordered_json::object()}};
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (program.sum_pieces(term) > 1)
      json["sum_pieces"][program.program().terms[term].name] = program.sum_pieces(term);
    if (const std::string name = program.strategy(term); !name.empty())
      json["strategies"][program.program().terms[term].name] = name;
  }
  return json;
}

}  // namespace foretile
