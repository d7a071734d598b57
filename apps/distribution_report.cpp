// SPDX-License-Identifier: BSD-3-Clause
#include "apps/distribution_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace foretile {

std::string distribution_text(const ProgramDistribution& distribution) {
  const auto cut = std::ranges::count_if(distribution.sum_pieces, [](int pieces) { return pieces > 1; });
  const char* const blocks =
      distribution.owners.empty() ? "blocks round-robin" : "blocks where they are needed";
  if (cut == 0) return fmt::format("{}, whole sums", blocks);
  return fmt::format("{}, sums of {} {} in pieces", blocks, cut, cut == 1 ? "term" : "terms");
}

std::string strategies_text(const FusedProgram& program, const ProgramDistribution& distribution) {
  std::map<std::string, std::vector<std::string>> terms;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (const std::string name = distribution.strategy_of(term); !name.empty())
      terms[name].push_back(program.program().terms[term].name);
  }
  std::string text;
  for (const auto& [name, of_strategy] : terms)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(of_strategy, ", "));
  return text;
}

nlohmann::ordered_json distribution_json(const FusedProgram& program,
                                         const ProgramDistribution& distribution) {
  nlohmann::ordered_json json{{"blocks", distribution.owners.empty() ? "round-robin" : "chosen"},
                              {"sum_pieces", nlohmann::ordered_json::object()}};
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (distribution.pieces_of(term) > 1)
      json["sum_pieces"][program.program().terms[term].name] = distribution.pieces_of(term);
    if (const std::string name = distribution.strategy_of(term); !name.empty())
      json["strategies"][program.program().terms[term].name] = name;
  }
  return json;
}

}  // namespace foretile
