// SPDX-License-Identifier: BSD-3-Clause
// What one rank does before and behind the products of a level.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/plan_file.hpp"
#include "planner/program/program_level.hpp"

namespace foretile {

struct LevelMoves {
  std::int64_t blocks_bytes = 0;    ///< of its own tensors' blocks, while the level runs
  std::int64_t received_bytes = 0;  ///< blocks that it multiplies or adds, of other ranks
  std::int64_t sent_bytes = 0;
  std::int64_t permuted_bytes = 0;        ///< its tiles of A and B in another order than their blocks,
  std::int64_t copied_bytes = 0;          ///< and in the same, but those that are blocks, kept or made
  std::int64_t made_bytes = 0;            ///< blocks that it makes when it needs them
  std::int64_t c_bytes = 0;               ///< tiles of C that it owns,
  std::int64_t c_received_bytes = 0;      ///< that come to it to be added to its blocks,
  std::int64_t c_sent_bytes = 0;          ///< and that it sends
  std::int64_t added_bytes = 0;           ///< to its blocks,
  std::int64_t added_permuted_bytes = 0;  ///< of these with indices in another order
  std::int64_t making_bytes = 0;  ///< of the largest made block that is permuted, for each of its cores

  std::int64_t memory_beside_plan() const {
    return blocks_bytes + received_bytes + c_bytes + c_received_bytes + making_bytes;
  }
};

/// By rank. `work`: the plan of the level's products; nullptr: there are none. `is_there`: of a tensor.
std::vector<LevelMoves> moves_of(const FusedProgram& program, const ProgramDistribution& distribution,
                                 const Machine& machine, const ProgramLevel& level, const PlannedWork* work,
                                 const std::function<bool(std::size_t)>& is_there);

/// Bytes of a stored block.
std::int64_t bytes_of(const FusedProgram& program, const ProgramBlock& block);

}  // namespace foretile
