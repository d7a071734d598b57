// SPDX-License-Identifier: BSD-3-Clause
// The most bytes that a rank holds in host memory.
#pragma once

#include <cstdint>
#include <functional>
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
/// `counts`: which messages, all without it.
Received worst_received(const Plan& plan, const Messages& messages, Rank rank,
                        const std::function<bool(const Messages::Sized&)>& counts = {});

/// What a rank computes and, where B is generated, generates.
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
  std::int64_t kept = 0;     ///< by cores, of a B that is generated
  std::int64_t tensors = 0;  ///< PlanFrame::tensors: its tiles, and memory in which some are generated
  std::int64_t owned = 0;    ///< of a and b: own tiles
  std::int64_t bytes() const { return a + b + c + staging + kept + tensors; }
};
HostNeed host_need(const Plan& plan, Rank rank, const Owners& owners, const Received& received,
                   const RankTiles& tiles);

/// What a rank has of the plan's tensors.
class TensorBytes {
 public:
  /// The frame must make sense.
  TensorBytes(const Plan& plan, const Contraction& contraction);
  /// While steps `first` to `last` are under way: tiles of all tensors that are there in one of them, and on
  /// each core at work the largest tile that is generated before it is permuted.
  std::int64_t of(Rank rank, std::size_t first, std::size_t last) const;

 private:
  const PlanTensors& tensors_;
  std::vector<std::vector<std::int64_t>> tiles_;       // by tensor and rank
  std::vector<std::vector<std::int64_t>> generating_;  // by rank and step
};

/// Where tiles flow: by rank, what it needs for each step beside tensors. The plan's frame must make sense.
std::vector<std::vector<HostNeed>> step_needs(const Plan& plan, const Contraction& contraction);

/// Throws InputError when a generated tile is larger than the staging area.
void check_staging(const Plan& plan, Rank rank, const RankTiles& tiles);

/// Throws InputError when the need exceeds the budget.
void check_host_memory(const Plan& plan, const HostNeed& need);

}  // namespace foretile
