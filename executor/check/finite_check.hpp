// SPDX-License-Identifier: BSD-3-Clause
// NaN and infinity among the numbers that a run starts from.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "executor/tiles/tile_storage.hpp"
#include "planner/plan/plan.hpp"

namespace foretile {

/// Reads this rank's tiles of A and B (made ones are distributed round-robin) and, where it is read, those of
/// the initial C. Collective: when a number is NaN or infinite, the lowest such rank throws InputError as
/// agree() has it; it names the first such tile by its row and column, and the rank. `turned`: whether the
/// operations of A and B were turned, of which the message knows nothing (executor/files/file_tiles.hpp).
void require_finite(const Contraction& contraction, const PlanFrame& frame, const std::vector<TileId>& own_c,
                    const TileStorage& tiles, MPI_Comm communicator, int threads,
                    std::array<bool, 2> turned = {});

/// This rank's tiles of A or B: those it owns, or where they are made each of `ranks` takes them in turn.
std::vector<TileId> tiles_to_check(const Contraction& contraction, const PlanFrame& frame, Matrix matrix,
                                   MPI_Comm communicator);

}  // namespace foretile
