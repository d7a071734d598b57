// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a strategy may know besides problem, machine and settings, where a plan is part of a larger one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Which ranks a part of a contraction shares with others. They have no row or column in common with it, and
/// about as much work.
struct RankShare {
  int set = 0;    ///< parts of one number share the ranks
  int parts = 1;  ///< how many parts do

  /// Same set and same number of parts.
  friend bool operator==(const RankShare&, const RankShare&) = default;
};

/// Of the tiles of A or B, by number.
struct OperandContext {
  /// Ranks that have them before the work starts; empty: a strategy may choose. Those that cannot leave them
  /// there distribute them again.
  std::vector<Rank> owners = {};
  std::vector<bool> in_place = {};  ///< OperandPlan::in_place, whatever the devices are
  /// Tiles that their owner has in another order: in place where GPUs alone multiply, which permute them when
  /// they load them. As many as `in_place`, or empty: there are none.
  std::vector<bool> in_other_order = {};
};

/// All empty, as of a contraction alone: nothing is known.
struct PlanContext {
  OperandContext a = {},  ///< of A
      b = {};             ///< of B
  /// That the machine's devices, rank by rank, have to do before. A strategy may even them out.
  std::vector<double> flops_before = {};
  bool neighbours =
      false;  ///< rows, columns and tiles of K that follow each other have much in common elsewhere
  /// That the machine's devices have for messages beside their memory (PlanFrame::device_message_bytes), 0:
  /// messages come to host memory. Nothing: what the platform says and the plan needs.
  std::optional<std::int64_t> device_message_bytes = {};
  std::vector<RankShare> shares = {};  ///< by tile of M: of the part of that row; empty: none share
  /// By tile of C: the rank that is to compute it; nothing: any. Empty: of all tiles nothing.
  std::vector<std::optional<Rank>> c_owners = {};

  /// That of A, or of B for all other matrices.
  const OperandContext& of(Matrix matrix) const { return matrix == Matrix::a ? a : b; }
};

}  // namespace foretile
