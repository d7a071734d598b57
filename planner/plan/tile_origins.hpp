// SPDX-License-Identifier: BSD-3-Clause
// Where the tiles in a rank's host memory come from.
#pragma once

#include <array>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/cost/copy.hpp"

namespace foretile {

/// Of one plan; answers for every rank. Tiles of an operand that is generated are made where they are used; a
/// given tile is with its owner, and every other rank that uses it has received it. C's initial tiles are
/// where they are computed. A matrix is in one array when all its tiles have one size, the last ones of a
/// row or column excepted.
class TileOrigins {
 public:
  /// Both must outlive this object.
  TileOrigins(const Contraction& contraction, const PlanFrame& frame);

  HostTile of(Rank rank, TileRef tile) const;

 private:
  const Contraction* contraction_;
  const PlanFrame* frame_;
  std::array<bool, 3> in_array_;  // by matrix
};

}  // namespace foretile
