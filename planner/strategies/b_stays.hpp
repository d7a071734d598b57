// SPDX-License-Identifier: BSD-3-Clause
// What the strategies share in which A is sent, and B is made where it is used and stays there (RR-9365 3.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/parameter.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Default and tries of a parameter: the rest is the same for all these strategies.
struct Fraction {
  std::string default_value;
  std::vector<std::string> tries;
};

/// grid.p, block_fraction, chunk_fraction, lookahead, staging_fraction and those of all strategies.
std::vector<ParameterInfo> b_stays_parameters(const Fraction& block, const Fraction& chunk);

/// Strategy::dealing of these strategies: which columns a rank gets is open.
Dealing b_stays_dealing(const Machine& machine, const Settings& settings);

/// Throws InputError where a block and the chunks beside it do not fit a device, or a tile of A no chunk.
/// O(nonzero tiles of A).
void refuse_b_stays(const Contraction& contraction, const Machine& machine, const Settings& settings);

/// Strategy::with_less_per_rank() of these strategies: more rows of the grid.
std::vector<Settings> b_stays_with_less_per_rank(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings);

/// Sources, frame and limits. A rank of grid row r has the tile rows i of A and C with i mod p = r.
class BStaysPlanner : public RankPlanner {
 public:
  PlanFrame frame() const override { return frame_; }

 protected:
  /// Throws InputError where a block and the chunks beside it do not fit a device. The contraction must
  /// outlive the planner.
  BStaysPlanner(std::string_view strategy, const Contraction& contraction, const Machine& machine,
                const Settings& settings);

  /// Bytes of B's tiles that meet the rank's rows of A, and of C's tiles in these rows, for each of
  /// `columns`. Throws InputError when one is larger than a block.
  std::vector<std::int64_t> column_bytes(const std::vector<std::int32_t>& columns, Rank rank) const;

  /// The tiles of A that the block multiplies, row by row, each by increasing k. Throws InputError when one
  /// is larger than a chunk.
  std::vector<std::vector<TileId>> tiles_of_a(const Block& block, Rank rank) const;

  const Contraction& problem_;
  Machine machine_;
  PlanFrame frame_;
  std::int64_t block_bytes_ = 0;
  std::int64_t chunk_bytes_ = 0;
  std::int64_t message_bytes_ = 0;

 private:
  [[noreturn]] void refuse(Rank rank, const char* what, std::int64_t index, std::int64_t needed,
                           std::int64_t limit, const char* parameter) const;
};

/// RR-9365 3.2.3: takes one tile from each row in turn until the next one would exceed `capacity`, then
/// starts the next chunk with it. Every tile must be <= capacity. `bytes(tile)` is its size.
template <class Bytes>
std::vector<Chunk> cyclic_chunks(const std::vector<std::vector<TileId>>& rows, std::int64_t capacity,
                                 Bytes bytes) {
  std::vector<Chunk> chunks;
  std::int64_t filled = 0;
  std::vector<std::size_t> next(rows.size(), 0);
  for (bool left = true; left;) {
    left = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (next[r] == rows[r].size()) continue;
      left = true;
      const TileId tile = rows[r][next[r]++];
      if (chunks.empty() || filled + bytes(tile) > capacity) {
        chunks.emplace_back();
        filled = 0;
      }
      chunks.back().a.push_back(tile);
      filled += bytes(tile);
    }
  }
  return chunks;
}

}  // namespace foretile
