// SPDX-License-Identifier: BSD-3-Clause
// How a user says which rank the tiles of a matrix are on.
#pragma once

#include <optional>
#include <string>

#include "planner/plan/distribution.hpp"
#include "planner/problem/shape.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

/// "contiguous", "cyclic", or "table:FILE".
Spelling spelled_distribution();

struct GivenDistribution {
  Distribution distribution;
  std::string text;  ///< of the setting; of a table with its digest, so that another table is refused
};

/// A table is a text file with one rank from 0 for each nonzero tile of the matrix, row by row, in lines or
/// with blanks between them; a # begins a comment. "table:FILE#DIGEST", as plans have it, is the same where
/// digest() of the file is that one. Throws InputError with file and line for other text, ranks that are not
/// there, another number of tiles or another digest.
GivenDistribution distribution_setting(const std::string& text, const Shape& shape, int ranks);

/// The file of "table:FILE"; nothing for other texts.
std::optional<std::string> table_of(const std::string& text);

}  // namespace foretile
