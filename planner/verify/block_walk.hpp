// SPDX-License-Identifier: BSD-3-Clause
// The products of a block, each seen once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// The tiles that the products of a block use.
struct BlockTiles {
  std::vector<std::vector<TileId>> b;  ///< per chunk; where B stays only what no earlier chunk has used
  std::vector<TileId> c;
  std::int64_t gemms = 0;
  double flops = 0;
};

/// A block that a device works on, with the tiles that it was found to use.
struct WalkedBlock {
  const Block* block;
  BlockTiles tiles;
};

/// Walks block after block; has a number for every tile of A.
class BlockWalk {
 public:
  /// The contraction must outlive this object. `progress` gets the products of all blocks so far.
  explicit BlockWalk(const Contraction& contraction, CountFunction progress = {});

  /// `where` names the block. Throws InputError for numbers out of range, an empty chunk, a tile of A without
  /// product or twice in the block. So within a block no product comes twice.
  BlockTiles walk(const Block& block, OnDevice b, const std::string& where);

 private:
  void enter(TileId a, const std::string& where);

  const Contraction& p_;
  CountFunction progress_;
  std::int64_t products_ = 0;
  std::vector<std::int64_t> a_block_;  // the last block with the tile
  std::int64_t block_ = 0;
};

}  // namespace foretile
