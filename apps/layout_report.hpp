// What commands say of a program's layout.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/program/fused_program.hpp"

namespace foretile {

/// "blocks where they are needed, sums of 13 terms in pieces"
std::string layout_text(const FusedProgram& program);

/// {blocks: "chosen" or "in turn", sum_pieces: {name of a term that is cut: pieces}}.
nlohmann::ordered_json layout_json(const FusedProgram& program);

}  // namespace foretile
