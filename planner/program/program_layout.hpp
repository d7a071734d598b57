// SPDX-License-Identifier: BSD-3-Clause
// Which ranks have the blocks of a program's tensors, into how many pieces the sums of its terms are cut, and
// by which strategies they are planned.
#pragma once

#include <string>
#include <vector>

#include "base/id.hpp"

namespace foretile {

struct ProgramLayout {
  /// By tensor and block; empty: blocks are dealt in turn.
  std::vector<std::vector<Rank>> owners = {};
  /// By term: each tile of C is computed as so many tiles at most, which are added to the result one by one.
  /// Tiles of K are dealt to them in turn; a piece without products is left out. Empty: as one.
  std::vector<int> sum_pieces = {};
  /// By term: the name of its own strategy; empty: that of the settings. Empty: none has one.
  std::vector<std::string> strategies = {};
};

}  // namespace foretile
