// SPDX-License-Identifier: BSD-3-Clause
// Terms of a program that are computed together, as one product of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "planner/distribution/program_distribution.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/program/joined_products.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of a product some rows and columns of C; of a copy some of its blocks, as rows.
struct TermPart {
  std::size_t term = 0;
  TileInterval rows = {}, columns = {};
};

TermPart whole_term(const FusedProgram& program, std::size_t term);

/// Terms that are computed together; of each one part at most. Tiles of A and B are as their tensors store
/// them where that is possible: products transpose them and have the factors.
struct ProgramStep {
  std::vector<TermPart> terms;
  /// Terms that are products with tiles, in the order of `joined`; one whose sums are cut once for each
  /// piece.
  std::vector<std::size_t> products;
  std::optional<JoinedProducts> joined;  ///< nothing without products
  PlanContext context = {};              ///< for plans of `joined`
};

/// The products of terms, with tiles as they are stored, made when they are first asked for.
class TermProducts {
 public:
  /// `program` must outlive this.
  explicit TermProducts(const FusedProgram& program) : program_(program) {}

  const FusedProgram& program() const { return program_; }
  const Contraction& of(std::size_t term);

 private:
  const FusedProgram& program_;
  std::map<std::size_t, Contraction> products_;
};

/// Tiles of A and B are where the blocks are of which they are copies. Those that equal a block that is kept
/// are in place.
ProgramStep make_step(TermProducts& products, const ProgramDistribution& distribution,
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

/// What a tile of A or B of a term is, numbered as the term does.
PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile);
/// What a tile of A or B of the step's contraction is.
PermutedBlock operand_of(const FusedProgram& program, const ProgramStep& step, TileRef tile);

}  // namespace foretile
