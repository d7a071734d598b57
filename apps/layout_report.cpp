#include "apps/layout_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace foretile {

std::string layout_text(const FusedProgram& program) {
  const auto cut = std::ranges::count_if(program.layout().sum_pieces, [](int pieces) { return pieces > 1; });
  const char* const blocks =
      program.layout().owners.empty() ? "blocks in turn" : "blocks where they are needed";
  if (cut == 0) return fmt::format("{}, whole sums", blocks);
  return fmt::format("{}, sums of {} {} in pieces", blocks, cut, cut == 1 ? "term" : "terms");
}

nlohmann::ordered_json layout_json(const FusedProgram& program) {
  nlohmann::ordered_json json{{"blocks", program.layout().owners.empty() ? "in turn" : "chosen"},
                              {"sum_pieces", nlohmann::ordered_json::object()}};
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (program.sum_pieces(term) > 1)
      json["sum_pieces"][program.program().terms[term].name] = program.sum_pieces(term);
  }
  return json;
}

}  // namespace foretile
