// Proves a plan before anything runs.
#pragma once

#include <cstdint>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"

namespace foretile {

/// What was counted on the way.
struct PlanSummary {
  std::int64_t gemms = 0;
  std::int64_t blocks = 0;
  std::int64_t chunks = 0;
  std::int64_t peak_device_bytes = 0;  ///< most that any device holds at once
  std::int64_t peak_host_bytes = 0;    ///< most that any rank holds in host memory
  std::int64_t h2d_bytes = 0;          ///< loads onto devices if no tile is found on another one
  std::int64_t d2h_bytes = 0;
  std::int64_t network_bytes = 0;
  std::int64_t generated_bytes = 0;
  double imbalance = 1;  ///< flops of the busiest device over the mean
};

/// Proves for any plan that
///  - its numbers make sense: p * q ranks, columns increasing, tiles and ranks that exist, no empty block,
///  chunk or message, no tile of A in a block that does not use it,
///  - every nonzero product is computed exactly once and every C tile is in one block only,
///  - every tile of A that a rank needs is owned by it or sent to it, exactly once,
///  - each tile of B is generated at most once per rank,
///  - device memory stays under budget in every order that the control edges allow: a block with `1 +
///  lookahead`
///    successive chunks; host memory: A's tiles, C's tiles and the staging area,
///  - data and control edges together have no cycle.
/// Throws InputError that names the place, the missing bytes and the parameter that helps.
PlanSummary verify(const Plan& plan, const Contraction& contraction);

}  // namespace foretile
