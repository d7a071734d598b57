// SPDX-License-Identifier: BSD-3-Clause
// A is sent, and B is generated where it is used and stays there (RR-9365 3.2): one planner for all presets,
// which say who gets which columns, and in which order tiles of A are sent and loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/parameter.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Tile columns, increasing unless said otherwise.
using Columns = std::vector<std::int32_t>;
/// Of a block, lists of tiles of A from which its chunks take one in turn: see cyclic_chunks().
using LoadLists = std::vector<std::vector<TileId>>;

/// A rank of grid row r has the tile rows i of A and C with i mod p = r.
class BStaysPlanner : public RankPlanner {
 public:
  PlanFrame frame() const override { return frame_; }
  RankPlan plan_rank(Rank rank) const override;

 protected:
  /// Throws InputError where a block and the chunks beside it do not fit a device. The contraction must
  /// outlive the planner.
  BStaysPlanner(std::string_view strategy, const Contraction& contraction, const Machine& machine,
                const Settings& settings);

  /// Bytes of B's tiles that meet the rank's rows of A, and of C's tiles in these rows, for each of
  /// `columns`. Throws InputError when one is larger than a block.
  std::vector<std::int64_t> column_bytes(const Columns& columns, Rank rank) const;

  /// The tiles of A that a block multiplies, row by row, each by increasing k. Throws InputError when one is
  /// larger than a chunk.
  LoadLists tiles_of_a(const Columns& block, Rank rank) const;

  const Contraction& problem_;
  Machine machine_;
  PlanFrame frame_;
  std::int64_t block_bytes_ = 0;
  std::int64_t chunk_bytes_ = 0;
  std::int64_t message_bytes_ = 0;

 private:
  /// Of each device of the rank: its blocks.
  virtual std::vector<std::vector<Columns>> blocks_of(Rank rank) const = 0;
  /// Of each block of the device; unless told otherwise its rows of A.
  virtual std::vector<LoadLists> loads_of(Rank rank, Device device, const std::vector<Columns>& blocks) const;
  virtual std::vector<Transfer> transfers_of(Rank rank) const = 0;
  [[noreturn]] void refuse(Rank rank, const char* what, std::int64_t index, std::int64_t needed,
                           std::int64_t limit, const char* parameter) const;
};

/// Default and tries of a parameter.
struct Fraction {
  std::string default_value;
  std::vector<std::string> tries;
};

/// What a strategy chooses of its own.
struct BStaysPreset {
  std::string name;
  Fraction block, chunk;                       ///< block_fraction and chunk_fraction
  std::vector<ParameterInfo> parameters = {};  ///< beside those of all presets
  std::unique_ptr<RankPlanner> (*prepare)(const Contraction&, const Machine&, const Settings&) = nullptr;
};
std::unique_ptr<Strategy> b_stays(BStaysPreset preset);

template <class Planner>
std::unique_ptr<RankPlanner> prepared(const Contraction& contraction, const Machine& machine,
                                      const Settings& settings) {
  return std::make_unique<Planner>(contraction, machine, settings);
}

/// RR-9365 3.2.3: takes one tile from each row in turn until the next one would exceed `capacity`, then
/// starts the next chunk with it. Every tile must be <= capacity. `bytes(tile)` is its size.
template <class Bytes>
std::vector<Chunk> cyclic_chunks(const LoadLists& rows, std::int64_t capacity, Bytes bytes) {
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
