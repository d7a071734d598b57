// SPDX-License-Identifier: BSD-3-Clause
// Extents of tiles for a program whose user names none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tensor/program.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Largest extents to try, four at most, that with fewest tiles first, since it takes least time to plan.
/// They cut the longer of the two spaces evenly, into tiles of at most 100, each size at most three quarters
/// of the one before. Sizes of which the three tiles of one product take more than half of a device's memory
/// are left out. `sizes.tile` is not read. Throws InputError as order_of_terms().
std::vector<std::int64_t> proposed_tiles(const Program& program, const ProgramSizes& sizes,
                                         const Machine& machine, const std::string& source);

}  // namespace foretile
