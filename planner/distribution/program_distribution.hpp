// SPDX-License-Identifier: BSD-3-Clause
// Which ranks have the blocks of a program's tensors, which tensors no rank keeps, into how many pieces the
// sums of its terms are cut, and by which strategies they are planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

/// A block of a tensor of a program.
struct ProgramBlock {
  std::size_t tensor = 0;
  BlockId block = 0;

  friend bool operator==(const ProgramBlock&, const ProgramBlock&) = default;
  friend bool operator<(const ProgramBlock& l, const ProgramBlock& r) {
    return std::pair(l.tensor, l.block) < std::pair(r.tensor, r.block);
  }
};

/// Of blocks that are distributed round-robin: every tensor begins with another rank.
inline Rank round_robin_owner(const ProgramBlock& block, int ranks) {
  return Rank::of((block.block + static_cast<std::int64_t>(block.tensor)) % ranks);
}

/// Plain data. An empty list stands for the same of all, as each says.
struct ProgramDistribution {
  int ranks = 1;
  /// By tensor and block; empty: round-robin.
  std::vector<std::vector<Rank>> owners = {};
  /// By term: each tile of C is computed as so many tiles at most, which are added to the result one by one.
  /// Tiles of K go to them round-robin; a piece without products is left out. Empty: as one.
  std::vector<int> split_k = {};
  /// By term: the rank that has a block computes the tile of C that is added to it (at_owners.hpp). Empty: of
  /// no term.
  std::vector<bool> at_owners = {};
  /// By term: the name of its own strategy; empty: that of the settings. Empty: none has one.
  std::vector<std::string> strategies = {};
  /// By tensor: blocks of a given tensor are generated whenever a tile or a copy needs them, and kept by no
  /// rank. Empty: all are kept.
  std::vector<bool> on_demand = {};

  Rank owner_of(const ProgramBlock& block) const {
    return owners.empty() ? round_robin_owner(block, ranks)
                          : owners[block.tensor][static_cast<std::size_t>(block.block)];
  }
  int split_k_of(std::size_t term) const { return split_k.empty() ? 1 : split_k[term]; }
  bool is_at_owners(std::size_t term) const { return !at_owners.empty() && at_owners[term]; }
  std::string strategy_of(std::size_t term) const {
    return strategies.empty() ? std::string() : strategies[term];
  }
  bool is_on_demand(std::size_t tensor) const { return !on_demand.empty() && on_demand[tensor]; }

  friend bool operator==(const ProgramDistribution&, const ProgramDistribution&) = default;
};

}  // namespace foretile
