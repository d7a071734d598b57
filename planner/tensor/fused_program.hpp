// SPDX-License-Identifier: BSD-3-Clause
// A program with the sizes of its index spaces: blocks of its tensors, and terms as products of matrices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner/tensor/fused_term.hpp"
#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile {

/// A block of an operand that is added to the result of a term with one operand.
struct CopiedBlock {
  BlockId from = 0;
  AxisOrder order;   ///< positions of the result, as axes of the stored block
  TileTuple result;  ///< tiles of the result's indices
};

/// A term of the program. Tensors are numbers in FusedProgram::tensors().
struct FusedProgramTerm {
  TensorTerm term;
  std::size_t result = 0;
  std::vector<std::size_t> operands;   ///< of a product: those that are A and B
  std::unique_ptr<FusedTerm> product;  ///< nullptr: a copy
  std::vector<CopiedBlock> copies;     ///< of a copy
  std::unique_ptr<ScatterTargets> targets;

  bool is_product() const { return product != nullptr; }
  /// A product with tiles of C.
  bool multiplies() const { return is_product() && product->contraction().c.nonzeros() > 0; }
};

/// Where a tile of a chain goes: to = to + factor from, axis p of `to` being axis order.from[p] of `from`.
struct Addition {
  BlockId to = 0;
  AxisOrder order;
  double factor = 1;
};

/// Constant: what is decided of it is in ProgramDistribution and in its plans.
class FusedProgram {
 public:
  /// Throws InputError, which begins with `source`, where there are too many tiles.
  FusedProgram(Program program, const ProgramSizes& sizes, const std::string& source);
  FusedProgram(const FusedProgram&) = delete;
  FusedProgram& operator=(const FusedProgram&) = delete;

  const Program& as_given() const { return as_given_; }
  /// With slices of its on-demand intermediates (in_slices()). Tensors and terms as given have their numbers,
  /// slices but the first follow.
  const Program& program() const { return program_; }
  const std::vector<LabelledTiles>& tiles() const { return tiles_; }
  const std::vector<ProgramTensor>& tensors() const { return tensors_; }
  const TensorBlocks& blocks(std::size_t tensor) const { return *blocks_[tensor]; }
  const std::vector<FusedProgramTerm>& terms() const { return terms_; }
  int levels() const { return levels_; }
  /// Numbers of the terms of a level, from 1, increasing.
  std::vector<std::size_t> terms_of_level(int level) const;

  const std::vector<TermOrder>& order() const { return order_; }

  /// Whether a tensor is in memory while a level runs (TensorLevels).
  bool is_there(std::size_t tensor, int level) const { return lives_[tensor].include(level); }

  /// Of a stored block.
  std::int64_t bytes(std::size_t tensor, BlockId block) const {
    return std::int64_t{sizeof(double)} * blocks(tensor).elements(block);
  }
  /// Extents of a stored block, the fastest axis first.
  std::vector<std::int64_t> extents(std::size_t tensor, BlockId block) const;
  /// Where a tile of C of a product goes, and where a copied block goes.
  std::vector<Addition> additions(std::size_t term, TileId c_tile) const;
  std::vector<Addition> additions(std::size_t term, const CopiedBlock& copy) const;

 private:
  void fuse(std::size_t number);
  void list_copies(FusedProgramTerm& fused) const;

  Program as_given_;
  Program program_;
  std::vector<LabelledTiles> tiles_;
  std::vector<ProgramTensor> tensors_;
  std::vector<std::unique_ptr<TensorBlocks>> blocks_;
  std::vector<TermOrder> order_;
  int levels_ = 0;
  std::vector<FusedProgramTerm> terms_;
  std::vector<TensorLevels> lives_;  // of each tensor
};

}  // namespace foretile
