// How a user says which rank the tiles of a matrix lie on.
#pragma once

#include <string>

#include "planner/plan/distribution.hpp"
#include "planner/problem/shape.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

/// "contiguous", "cyclic", or "table:FILE".
Spelling spelled_deal();

/// A table is a text file with one rank from 0 for each nonzero tile of the matrix, row by row, in lines or
/// with blanks between them; a # begins a comment. Throws InputError with file and line for other text, ranks
/// that are not there, and another number of tiles.
Distribution deal_setting(const std::string& text, const Shape& shape, int ranks);

}  // namespace foretile
