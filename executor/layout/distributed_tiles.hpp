// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a plan whose numbers a program keeps in layouts of its own.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "executor/layout/layout.hpp"
#include "executor/layout/redistribution.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_storage.hpp"

namespace foretile {

/// Tiles that are in one piece on their owner are used in place; the others are moved to memory of this
/// object, which it keeps from run to run. For A and B given, and C.
class DistributedTiles final : public TileStorage {
 public:
  using Owner = std::function<Rank(TileRef)>;
  /// `layouts` of A, B and C. The contraction must outlive this. Not collective. Throws InputError as
  /// Redistribution.
  DistributedTiles(const Contraction& contraction, const Owner& owner,
                   const std::array<std::shared_ptr<const Layout>, 3>& layouts, Rank self, int ranks);

  /// That all ranks have the same layouts. Collective. Throws InputError on all.
  void require_same_layouts(MPI_Comm communicator) const;
  /// That this rank has memory where the layouts place elements on it.
  void require_memory(const std::array<std::byte*, 3>& local) const;

  /// Moves A, B and, where it is read, C to their tiles. `local` of A, B and C: where the memory of this rank
  /// starts. Collective.
  void gather(MPI_Comm communicator, const std::array<std::byte*, 3>& local);
  /// Moves C back. Collective.
  void scatter(MPI_Comm communicator) const;
  /// Of the memory of this object.
  std::int64_t moved_bytes() const;
  /// Bytes that this rank sends in both.
  std::int64_t sent_bytes() const;

  std::optional<TileView> in_place(TileRef tile) const override;
  void fill(TileRef tile, std::byte* to) const override;

 private:
  TileView view(TileRef tile) const;

  const Contraction& problem_;
  std::vector<Redistribution> redistributions_;  // of A, B and C
  std::unordered_map<TileRef, TileBuffer, TileRefHash> moved_;
  std::array<std::byte*, 3> local_{};
};

}  // namespace foretile
