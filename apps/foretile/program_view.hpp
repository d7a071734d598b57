// SPDX-License-Identifier: BSD-3-Clause
// foretile show PROGRAM.txt: the terms of a program, which wait for which, how much work they are, and the
// memory that their tensors take.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

/// Whether a file's name is that of a program: it ends in .txt.
bool is_program_file(const std::string& path);

/// Both read the file. Throw InputError.
nlohmann::ordered_json program_json(const std::string& path, const ProgramSizes& sizes);
std::string program_text(const std::string& path, const ProgramSizes& sizes);

/// The terms, and which wait for which, for GraphViz. Reads the file; throws InputError.
void write_term_graph(const std::string& path, const ProgramSizes& sizes, const std::string& dot_file);

}  // namespace foretile
