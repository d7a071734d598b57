// SPDX-License-Identifier: BSD-3-Clause
// Terms that are computed in slices: some rows or columns of C at a time.
#pragma once

#include <array>
#include <optional>

#include "planner/program/program_step.hpp"

namespace foretile {

/// Two parts with about the same bytes of C each. Rows are cut where they take more memory than columns: A is
/// larger than B, of those tiles that the part needs, or generated on demand, so that each slice of it is
/// generated once. Else columns are, or what can be cut. Nothing where there is one row and one column with
/// tiles of C, or one copied block.
std::optional<std::array<TermPart, 2>> halves_of(const FusedProgram& program,
                                                 const ProgramDistribution& distribution,
                                                 const TermPart& part);

}  // namespace foretile
