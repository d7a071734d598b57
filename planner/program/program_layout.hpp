// Which ranks have the blocks of a program's tensors, and into how many pieces the sums of its terms are cut.
#pragma once

#include <vector>

#include "base/id.hpp"

namespace foretile {

struct ProgramLayout {
  /// By tensor and block; empty: blocks are dealt in turn.
  std::vector<std::vector<Rank>> owners = {};
  /// By term: each tile of C is computed as so many tiles at most, which are added to the result one by one.
  /// Tiles of K are dealt to them in turn; a piece without products is left out. Empty: as one.
  std::vector<int> sum_pieces = {};
};

}  // namespace foretile
