// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the numbers of A, B and the initial C come from, and where C goes: from a seed, or from a caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "executor/tiles/tile_view.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/generated_part.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Tiles are column-major in the contraction's element type; those of A and B as the matrix has them:
/// transposed where their operation is not Op::none. All calls are const and may come from several threads at
/// once. A rank asks for given tiles of A and B that it owns, and for generated tiles that it uses. Of C it
/// asks for tiles that it owns; without partial sums for those that it computes. What a call throws ends the
/// run.
class TileStorage {
 public:
  virtual ~TileStorage() = default;

  /// Where the tile is until the run ends, or nothing. A and B are only read. In a tile of C are the
  /// initial numbers, if they are read, and the run leaves the final ones there.
  virtual std::optional<TileView> in_place(TileRef) const { return std::nullopt; }
  /// Writes a tile that is not in place, without gaps. A run asks at most once for each; a check of the
  /// numbers asks again, for generated tiles on one rank each.
  virtual void fill(TileRef tile, std::byte* to) const = 0;
  /// A finished tile of C that is not in place, valid during the call only; from one thread at a time. Once
  /// for each that the rank owns.
  virtual void take(TileId, TileView) const {}
  /// Writes a part of a tile of B that is generated where it is used. Unless overridden the part that begins
  /// the tile writes all of it.
  virtual void fill_part(const GeneratedPart& part, std::byte* tile) const {
    if (part.first == 0) fill({Matrix::b, part.tile}, tile);
  }
};

/// Of those tiles that are in place, or of those that are there without gaps.
std::int64_t bytes_in_place(const Contraction& contraction, Matrix matrix, std::span<const TileId> tiles,
                            const TileStorage& storage, bool without_gaps);

/// Anyone can make the numbers again (executor/tiles/initial_tile.hpp). The contraction must outlive this.
class SeededTiles final : public TileStorage {
 public:
  /// Numbers by the seed of this contraction.
  explicit SeededTiles(const Contraction& contraction) : problem_(contraction) {}
  void fill(TileRef tile, std::byte* to) const override;
  void fill_part(const GeneratedPart& part, std::byte* tile) const override;

 private:
  const Contraction& problem_;
};

}  // namespace foretile
