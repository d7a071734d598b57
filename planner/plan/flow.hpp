// SPDX-License-Identifier: BSD-3-Clause
// Work on cores between the products of a plan: what C of one product has to do with A and B of a later one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/plan/transfer.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Copies, permutes or adds one tile. Who made the plan knows what it does (planner/program/flow_plan.hpp);
/// the scheduler knows what it waits for.
struct FlowTask {
  std::int32_t after = -1;           ///< an earlier task of the rank; -1: none
  std::optional<TileId> reads = {};  ///< a tile of C, finished on this rank or come from another
  std::optional<TileRef> makes =
      {};                       ///< a tile of the rank, which is there from then on, until its step is over
  std::int64_t bytes = 0;       ///< that are copied, permuted or added; 0: a tile in place
  std::int64_t made_bytes = 0;  ///< that are generated before
  Step step = 0;
  bool permutes = false;  ///< indices get another order
};

/// A rank's part of a plan whose products depend on each other (PlanFrame::steps).
struct RankFlow {
  std::vector<FlowTask> tasks;  ///< steps do not decrease; those that are ready start in this order
  /// Single tiles of C that the rank owns, each to one rank whose tasks read it.
  std::vector<Transfer> results;
};

}  // namespace foretile
