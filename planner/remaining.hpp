// SPDX-License-Identifier: BSD-3-Clause
// What is left of a plan when some tiles of C are already there.
#pragma once

#include <vector>

#include "planner/plan_file.hpp"

namespace foretile {

/// Work whose C has only the tiles that are left, numbered again. Tiles of A and B keep their numbers.
struct RemainingWork {
  PlannedWork work;
  std::vector<TileId> tiles;  ///< by number in `work`: the tile's number in the whole C
};

/// Leaves out the products of finished tiles, and what is loaded, sent or added for them alone. All other
/// products stay where they are and in their order, so that their tiles of C get the same bits. The result is
/// verified. `finished`: of each tile of C. Takes time linear in the plan and its products.
RemainingWork remaining_work(const PlannedWork& whole, const std::vector<bool>& finished);

}  // namespace foretile
