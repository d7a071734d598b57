// The products of a block, each seen once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "planner/verify/product_marks.hpp"

namespace foretile {

/// The tiles that the products of a block use.
struct BlockTiles {
  std::vector<std::vector<TileId>> b;  ///< per chunk; with BTiles::stay only what no earlier chunk has used
  std::vector<TileId> c;
  std::int64_t gemms = 0;
  double flops = 0;
};

/// Checks columns and tiles of A and marks every product. `where` names the block. Throws InputError for
/// numbers out of range, an empty chunk, a tile without product and a product that was marked before.
BlockTiles walk_block(const Contraction& contraction, const Block& block, BTiles b_tiles,
                      const std::string& where, ProductMarks& marks);

}  // namespace foretile
