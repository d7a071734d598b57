// SPDX-License-Identifier: BSD-3-Clause
// A matrix in a file, for people and for scripts.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "planner/problem/kinds/problem.hpp"

namespace foretile {

/// Prints extents, type, layout, norm and digest of the matrix. Reads all of it. `speed_tile` > 0: also how
/// fast squares of it with so many rows are read then. Throws InputError.
void show_matrix(const std::string& place, std::int64_t speed_tile, bool json);

/// The files of a problem of kind "matrices", a line each; empty for other kinds.
std::string inputs_text(const Problem& problem);
/// The same under the keys "A", "B" and "C"; null for other kinds.
nlohmann::ordered_json inputs_json(const Problem& problem);

}  // namespace foretile
