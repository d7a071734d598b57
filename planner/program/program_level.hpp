// SPDX-License-Identifier: BSD-3-Clause
// Terms of a program that are computed together, as one product of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/program/fused_program.hpp"
#include "planner/program/joined_products.hpp"
#include "planner/program/program_distribution.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of a product some rows and columns of C; a copy has none, and is always whole.
struct TermPart {
  std::size_t term = 0;
  TileInterval rows = {}, columns = {};
};

TermPart whole_term(const FusedProgram& program, std::size_t term);

/// Terms that are computed together; of each one part at most.
struct ProgramLevel {
  std::vector<TermPart> terms;
  /// Terms that are products with tiles, in the order of `joined`; one whose sums are cut once for each
  /// piece.
  std::vector<std::size_t> products;
  std::optional<JoinedProducts> joined;  ///< nothing without products
  PlanContext context = {};              ///< for plans of `joined`
  /// Tiles of A and B are as their tensors store them where that is possible: products transpose them and
  /// have the factors. Else they are what C = A B needs.
  bool as_stored = false;
};

/// The products of terms, made when they are first asked for: on cores with tiles as they are stored.
class TermProducts {
 public:
  /// Both must outlive this.
  TermProducts(const FusedProgram& program, const Machine& machine) : program_(program), machine_(machine) {}

  const FusedProgram& program() const { return program_; }
  const Machine& machine() const { return machine_; }
  bool as_stored() const { return machine_.platform.device.kind == DeviceKind::core; }
  const Contraction& of(std::size_t term);

 private:
  const FusedProgram& program_;
  const Machine& machine_;
  std::map<std::size_t, Contraction> products_;
};

/// Tiles of A and B are where the blocks are of which they are copies. On cores those that equal a block that
/// is kept are in place.
ProgramLevel level_of(TermProducts& products, const ProgramDistribution& distribution,
                      std::vector<TermPart> terms);

/// A tile is factor times a block, axis p of the tile being axis order.from[p] of the block. `factor` counts
/// the sign of the order, too.
struct PermutedBlock {
  ProgramBlock block;
  AxisOrder order;
  double factor = 1;

  /// The tile is the block.
  bool is_block() const { return factor == 1 && order.is_identity(); }
};

/// What a tile of A or B of a term is, numbered as the term does. `as_stored`: ProgramLevel.
PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile, bool as_stored);
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
/// owners of those to which they are added. Blocks that are generated on demand go nowhere. In order.
std::set<Move<ProgramBlock>> block_moves(const FusedProgram& program, const ProgramDistribution& distribution,
                                         const ProgramLevel& level,
                                         const std::function<Rank(TileRef)>& owner);
/// Tiles of C go from their `owner` to the owners of the blocks to which they are added. In order.
std::set<Move<TileId>> result_moves(const FusedProgram& program, const ProgramDistribution& distribution,
                                    const ProgramLevel& level, const std::function<Rank(TileRef)>& owner);

}  // namespace foretile
