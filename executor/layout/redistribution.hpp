// SPDX-License-Identifier: BSD-3-Clause
// Moves a matrix between a program's layout and the tiles of a plan.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/layout/layout.hpp"
#include "executor/tiles/tile_view.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// The part of a tile that is stored in one piece in the layout.
struct MovedPart {
  TileId tile = 0;
  std::int64_t tile_row = 0, tile_column = 0;  ///< where it begins in the tile as it is stored in memory
  std::int64_t at = 0, ld = 1;                 ///< in the layout, as MatrixPart, on the rank that has it
  std::int64_t rows = 0, columns = 0;
};

/// Planned once, run often. A tile that is stored in one piece on its owner stays there: it is used in place.
/// Each other element travels once, from the rank that has it to the one that wants it, in messages of about
/// kRedistributed bytes; what stays on its rank is copied there.
class Redistribution {
 public:
  /// Of one matrix between `layout` and the nonzero tiles of `p`, each with its owner. Elements outside the
  /// nonzero tiles do not move. Not collective. Throws InputError when the layout has another shape than the
  /// matrix (A and B as they are stored, before their operation).
  Redistribution(const Contraction& p, Matrix matrix, const std::function<Rank(TileId)>& owner,
                 const Layout& layout, Rank self, int ranks);

  /// Bytes that this rank sends in one direction, and receives.
  std::int64_t to_tiles_bytes() const { return sent_bytes(in_layout_); }
  std::int64_t to_layout_bytes() const { return sent_bytes(in_tiles_); }

  /// Whether this rank's memory is read or written.
  bool uses_memory() const { return uses_memory_; }
  /// Of the parts and their ranks: the same on all ranks where the layouts are.
  std::uint64_t digest_of_parts() const { return digest_of_parts_; }

  /// Whether an own tile stays where it is in the layout.
  bool stays(TileId tile) const { return in_place_.contains(tile); }
  /// Where it is, if it stays there.
  std::optional<TileView> in_place(TileId tile, std::byte* local) const;
  /// Where the other own tiles are, without gaps or with.
  using Tiles = std::function<TileView(TileId)>;
  /// Collective. Throws WorkError when MPI fails.
  void to_tiles(MPI_Comm communicator, const std::byte* local, const Tiles& tiles) const;
  void to_layout(MPI_Comm communicator, const Tiles& tiles, std::byte* local) const;

 private:
  using Parts = std::vector<std::vector<MovedPart>>;  // by the other rank
  void add_tile(TileId tile, const MatrixRectangle& where, Rank owner, const Layout& layout);
  std::int64_t sent_bytes(const Parts& parts) const;

  std::int64_t element_bytes_;
  int self_;
  bool uses_memory_ = false;
  std::uint64_t digest_of_parts_ = 0;
  std::unordered_map<TileId, std::pair<std::int64_t, std::int64_t>>
      in_place_;     // own tiles: MatrixPart's at, ld
  Parts in_layout_;  // what this rank has in its layout, by the owner of the tile
  Parts in_tiles_;   // what its own tiles consist of, by the rank that has it in the layout
};

/// About the size of a message and of a buffer: two of each direction are in use.
inline constexpr std::int64_t kRedistributed = std::int64_t{4} << 20;

}  // namespace foretile
