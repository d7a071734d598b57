// Plans of a program's levels, and what happens between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/settings.hpp"
#include "planner/plan/plan_file.hpp"
#include "planner/program/fused_program.hpp"
#include "planner/program/joined_products.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// A block of a tensor of the program.
struct ProgramBlock {
  std::size_t tensor = 0;
  BlockId block = 0;

  friend bool operator==(const ProgramBlock&, const ProgramBlock&) = default;
  friend bool operator<(const ProgramBlock& l, const ProgramBlock& r) {
    return std::pair(l.tensor, l.block) < std::pair(r.tensor, r.block);
  }
};

/// Blocks are dealt in turn; every tensor begins with another rank.
inline Rank owner_of(const ProgramBlock& block, int ranks) {
  return Rank::of((block.block + static_cast<std::int64_t>(block.tensor)) % ranks);
}

/// Terms of one level that are computed together.
struct ProgramLevel {
  std::vector<std::size_t> terms;
  std::vector<std::size_t> products;     ///< those that are products with tiles, in the order of `joined`
  std::optional<JoinedProducts> joined;  ///< nothing without products
};

/// Tiles of A and B are placed with the blocks of which they are copies.
ProgramLevel level_of(const FusedProgram& program, std::vector<std::size_t> terms, int ranks);

/// A tile is factor times a block, axis p of the tile being axis order.from[p] of the block. `factor` counts
/// the sign of the order, too.
struct PermutedBlock {
  ProgramBlock block;
  AxisOrder order;
  double factor = 1;
};

/// What a tile of A or B of a term is, numbered as the term does.
PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile);
/// What a tile of A or B of the level's contraction is.
PermutedBlock operand_of(const FusedProgram& program, const ProgramLevel& level, TileRef tile);

/// A block that a rank needs of another before the products of a level, or a tile of C (by its number in the
/// level's contraction) behind them. Each once.
template <class Piece>
struct Move {
  Piece piece;
  Rank from = 0, to = 0;

  friend bool operator<(const Move& l, const Move& r) {
    return std::tuple(l.piece, int{l.from}, int{l.to}) < std::tuple(r.piece, int{r.from}, int{r.to});
  }
};

/// `owner` of tiles of A and B: to them go the blocks of which they are copies; copied blocks go to the
/// owners of those to which they are added. In order.
std::set<Move<ProgramBlock>> block_moves(const FusedProgram& program, const ProgramLevel& level,
                                         const std::function<Rank(TileRef)>& owner, int ranks);
/// Tiles of C go from their `owner` to the owners of the blocks to which they are added. In order.
std::set<Move<TileId>> result_moves(const FusedProgram& program, const ProgramLevel& level,
                                    const std::function<Rank(TileRef)>& owner, int ranks);

/// What one rank does before and behind the products of a level.
struct LevelMoves {
  std::int64_t blocks_bytes = 0;    ///< of its own tensors' blocks, while the level runs
  std::int64_t received_bytes = 0;  ///< blocks that it multiplies or adds, of other ranks
  std::int64_t sent_bytes = 0;
  std::int64_t permuted_bytes = 0;    ///< its tiles of A and B
  std::int64_t c_bytes = 0;           ///< tiles of C that it owns,
  std::int64_t c_received_bytes = 0;  ///< that come to it to be added to its blocks,
  std::int64_t c_sent_bytes = 0;      ///< and that it sends
  std::int64_t added_bytes = 0;

  std::int64_t memory_beside_plan() const {
    return blocks_bytes + received_bytes + c_bytes + c_received_bytes;
  }
};

struct LevelPlan {
  int number = 0;  ///< of the level, from 1
  int part = 1;    ///< where the level's terms do not fit together: which part of them, from 1,
  int parts = 1;   ///< of how many
  ProgramLevel level;
  std::optional<PlannedWork> work;  ///< of the products; proven
  std::vector<LevelMoves> moves;    ///< by rank

  /// Of the rank with most: its blocks, received blocks, tiles of C, and what the plan proves.
  std::int64_t peak_host_bytes() const;
  /// Of the rank with most.
  std::int64_t blocks_bytes() const;
};

/// Plans each level with the same parameters, and proves each plan. A level whose terms do not fit the ranks'
/// memory together is computed in parts, one after the other. Without a strategy among the settings:
/// settings_for_terms(). Throws InputError as plan_work(), and where a term alone does not fit.
std::vector<LevelPlan> plan_program(const FusedProgram& program, const Machine& machine,
                                    const Settings& settings);
/// The same of steps of a flow (planner/program/term_steps.hpp), in parts: those of several terms so small
/// that `at_once` > 1 of their size fit.
std::vector<LevelPlan> plan_steps(const FusedProgram& program, const Machine& machine,
                                  const Settings& settings, int at_once);

}  // namespace foretile
