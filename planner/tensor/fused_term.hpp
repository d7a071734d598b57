// SPDX-License-Identifier: BSD-3-Clause
// A term as a product of block-sparse matrices: which blocks of tensors its tiles are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/tensor/fusion.hpp"
#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

/// Fuses the indices of a term with two operands. Rows of C are the tuples of tiles of M that do not decrease
/// within the groups of the result, in lexicographic order, of spatial orbitals near ones together; columns
/// those of N; those of K do not decrease within the summed groups, and stand for all their permutations
/// (multiplicity()). A tile of C is a chain in the words of the Tensor Contraction Engine.
class FusedTerm {
 public:
  /// `operands` are the term's, in its order; they, the term and `tiles` must outlive this. `closed_shell`:
  /// tiles of C that are beta alone are left out. `result`, where given: tiles of C that it does
  /// not store by its mirror or its slice (TensorRules) are left out. C has the tiles for which some product
  /// of norms reaches `threshold`. Throws InputError where there are too many tiles.
  FusedTerm(const TensorTerm& term, const Fusion& fusion, const std::array<const TensorBlocks*, 2>& operands,
            const std::vector<LabelledTiles>& tiles, bool closed_shell, double threshold = 0,
            const TensorBlocks* result = nullptr);

  const Fusion& fusion() const { return fusion_; }
  /// Without name, seed and factors; operations say which operand is stored transposed.
  const Contraction& contraction() const { return contraction_; }

  /// The block that a tile of A or B (0 or 1) is, and its axes as the matrix has them: M before K, K before
  /// N, also where the operand is stored transposed.
  BlockPlace operand_tile(std::size_t matrix, TileId tile) const;
  /// The same, but where the operand is stored transposed K before M, and N before K.
  BlockPlace stored_tile(std::size_t matrix, TileId tile) const;
  /// Whether the stored block is that tile, without permutation or change of sign.
  bool is_as_stored(std::size_t matrix, TileId tile) const;
  /// By how much each product with this tile of K counts: of tuples that are equal but for the order of
  /// indices in a summed group, one stands for all.
  double multiplicity(std::int32_t k_tile) const { return multiplicity_[static_cast<std::size_t>(k_tile)]; }
  /// How stored_tile()s are multiplied.
  ProductOfK product_of(std::int32_t k_tile) const {
    return {contraction_.a_op, contraction_.b_op, multiplicity(k_tile)};
  }
  /// The tiles of the result's indices, by their positions.
  TileTuple result_tiles(TileId c_tile) const;
  /// Of each position of the result: its axis in a tile of C.
  const std::vector<std::uint8_t>& result_axes() const { return result_axes_; }

 private:
  struct Side {
    TileRanges ranges;
    std::vector<TileTuple> tuples;
  };
  /// Where an index of a tensor is: in the tuples of one side, at a place.
  struct From {
    std::size_t side = 0;  ///< 0: M, 1: N, 2: K
    std::size_t place = 0;
  };

  Side side_of(const IndexList& indices, const std::vector<IndexList>& groups,
               const std::vector<LabelledTiles>& tiles) const;
  std::vector<From> origins(const IndexedTensor& tensor) const;
  BlockPlace found(std::size_t matrix, TileId tile) const;
  TileTuple gathered(const std::vector<From>& origins, std::int32_t m, std::int32_t n, std::int32_t k) const;
  Shape operand_shape(std::size_t matrix) const;
  Shape result_shape(double threshold, bool closed_shell, const TensorBlocks* result) const;
  void set_multiplicities(const std::vector<IndexList>& groups);

  const TensorTerm& term_;
  Fusion fusion_;
  std::array<const TensorBlocks*, 2> blocks_;      // of A and B
  std::array<Side, 3> sides_;                      // M, N, K
  std::array<std::vector<From>, 3> origins_;       // of A, B and C
  std::array<std::vector<std::uint8_t>, 2> axes_;  // of A and B: positions in the order of the matrix
  std::vector<std::uint8_t> result_axes_;
  std::vector<double> multiplicity_;
  Contraction contraction_;
};

/// Sums a tile of a term's result, before it is antisymmetrized, into one stored block of the result.
struct ScatterTarget {
  BlockId block = 0;
  AxisOrder order;  ///< axes of the block, as positions of the result
};

/// Where tiles of a term's result go: it is antisymmetrized over like indices that come from different
/// operands.
class ScatterTargets {
 public:
  /// `result` must outlive this.
  ScatterTargets(const TensorTerm& term, const TensorBlocks& result);
  /// `tiles` do not decrease within the groups that one operand has. One or more; at most four for two upper
  /// and two lower indices.
  std::vector<ScatterTarget> of(const TileTuple& tiles) const;

 private:
  const TensorBlocks& result_;
  std::vector<AxisOrder> shuffles_;  // of all positions
};

}  // namespace foretile
