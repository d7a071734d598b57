// SPDX-License-Identifier: BSD-3-Clause
// Which blocks of a tensor are stored, and where any block is found among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/tensor/axis_order.hpp"
#include "planner/tensor/program.hpp"
#include "planner/tensor/tile_tuples.hpp"

namespace foretile {

/// What decides which blocks are there.
struct TensorRules {
  IndexList spaces;               ///< by position
  std::size_t upper = 0;          ///< positions of upper indices; the others are lower ones
  std::vector<IndexList> groups;  ///< all positions; the tensor is antisymmetric in those of a group
  bool closed_shell = false;      ///< blocks of beta alone equal those of alpha alone, and are not stored
  /// Elements are equal where position p is exchanged with mirror[p]: of two blocks that are equal so, the
  /// one with the lesser tiles is stored. Empty: no exchange. Only where all groups are of one position.
  std::vector<std::size_t> mirror = {};
  std::optional<TensorSlice> slice = {};  ///< nothing: all blocks
};

/// A tile of each position, and the number of the stored block.
using BlockId = std::int64_t;

/// A stored block as it makes one that was asked for.
struct BlockPlace {
  BlockId block = 0;
  AxisOrder order;
};

/// The nonzero blocks of a tensor that are stored: those that spins and irreps allow (is_allowed()), with
/// tiles that do not decrease within a group, in lexicographic order. Elements of a block are with the first
/// index fastest, whole also where two antisymmetric indices have the same tile, or where a block is its own
/// mirror image.
class TensorBlocks {
 public:
  /// `tiles` of each index space must outlive this. Throws InputError, which names `what`, where there may be
  /// too many blocks.
  TensorBlocks(TensorRules rules, const std::vector<LabelledTiles>& tiles, const std::string& what);

  const TensorRules& rules() const { return rules_; }
  const TileRanges& ranges() const { return ranges_; }
  std::int64_t count() const { return static_cast<std::int64_t>(blocks_.size()); }
  const TileTuple& tiles(BlockId block) const { return blocks_[static_cast<std::size_t>(block)]; }
  std::int64_t elements(BlockId block) const { return elements_of(tiles(block), ranges_); }
  std::int64_t elements() const;
  /// Frobenius norm; 1 unless given.
  float norm(BlockId block) const { return norms_[static_cast<std::size_t>(block)]; }

  /// Nothing where the block is zero.
  std::optional<BlockPlace> find(const TileTuple& tiles) const;

  /// Whether a mirror or a slice leaves out blocks.
  bool stores_some() const { return !rules_.mirror.empty() || rules_.slice; }
  /// Whether that very block is stored.
  bool stores(const TileTuple& tiles) const { return std::ranges::binary_search(blocks_, tiles); }

  /// Other blocks become zero. Increasing, none twice.
  void keep(const std::vector<BlockId>& kept);
  void set_norm(BlockId block, float norm) { norms_[static_cast<std::size_t>(block)] = norm; }

 private:
  void keep_slice(const TensorSlice& slice, const std::string& what);

  TensorRules rules_;
  TileRanges ranges_;
  std::vector<TileTuple> blocks_;
  std::vector<float> norms_;
};

}  // namespace foretile
