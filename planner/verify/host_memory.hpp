// SPDX-License-Identifier: BSD-3-Clause
// The most bytes that a rank holds in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/verify/messages.hpp"

namespace foretile {

/// Tiles that a rank has received, at their worst moment, per matrix and together. With
/// global barriers and t the first step that is open on any rank, tiles for steps up to t + lookahead may
/// have come, and those whose last step is before t are gone: every rank has used them, so none waits to be
/// forwarded. Without, all stay.
struct Received {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t bytes() const { return a + b; }
};
Received worst_received(const Plan& plan, const Messages& messages, Rank rank);

/// What a rank computes and, where B is made, generates.
struct RankTiles {
  std::int64_t c_bytes = 0;  ///< of blocks; with sums also initial values, and what comes from other ranks
  std::int64_t b_bytes = 0;  ///< generated
  std::int64_t largest_b = 0;
  std::int64_t kept_b = 0;  ///< by its cores, which keep them in host memory, at once
};

/// What one rank needs at its worst moment.
struct HostNeed {
  Rank rank = 0;
  std::int64_t a = 0;  ///< own tiles of the distributed matrices and received ones
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t staging = 0;
  std::int64_t kept = 0;   ///< by cores, of a B that is made
  std::int64_t owned = 0;  ///< of a and b: own tiles
  std::int64_t bytes() const { return a + b + c + staging + kept; }
};
HostNeed host_need(const Plan& plan, Rank rank, const Owners& owners, const Received& received,
                   const RankTiles& tiles);

/// Where tiles flow: by rank, what it needs for each step; of sums, beside the parts of its devices nothing.
/// The plan's frame must make sense.
std::vector<std::vector<HostNeed>> step_needs(const Plan& plan, const Contraction& contraction);

/// Throws InputError when a generated tile is larger than the staging area.
void check_staging(const Plan& plan, Rank rank, const RankTiles& tiles);

/// Throws InputError when the need exceeds the budget.
void check_host_memory(const Plan& plan, const HostNeed& need);

}  // namespace foretile
