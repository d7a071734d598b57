// foretile show PROGRAM.txt: the terms of a program, which wait for which, and how much work they are.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace foretile {

/// Orbitals of each spin, and how large a tile is at most.
struct ProgramSizes {
  std::int64_t occupied = 0, virtuals = 0, tile = 0;
};

/// Whether a file's name is that of a program: it ends in .txt.
bool is_program_file(const std::string& path);

/// Both read the file. Throw InputError.
nlohmann::ordered_json program_json(const std::string& path, const ProgramSizes& sizes);
std::string program_text(const std::string& path, const ProgramSizes& sizes);

}  // namespace foretile
