// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/distributed_tiles.hpp"

#include <fmt/format.h>

#include <span>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

constexpr std::array kMatrices{Matrix::a, Matrix::b, Matrix::c};

std::size_t number_of(Matrix matrix) {
  return static_cast<std::size_t>(matrix);
}

}  // namespace

DistributedTiles::DistributedTiles(const Contraction& contraction, const Owner& owner,
                                   const std::array<std::shared_ptr<const Layout>, 3>& layouts, Rank self,
                                   int ranks)
    : problem_(contraction) {
  for (const Matrix matrix : kMatrices) {
    const Redistribution& moves = redistributions_.emplace_back(
        contraction, matrix,
        [&](TileId tile) {
          return owner({matrix, tile});
        },
        *layouts[number_of(matrix)], self, ranks);
    for (TileId id = 0; id < shape_of(contraction, matrix).nonzeros(); ++id) {
      const TileRef tile{matrix, id};
      if (owner(tile) == self && !moves.stays(id))
        moved_.emplace(tile, TileBuffer(bytes_of(contraction, tile)));
    }
  }
}

void DistributedTiles::require_same_layouts(MPI_Comm communicator) const {
  std::array<std::uint64_t, 6> ends{};  // for each matrix the largest, and the complement of the least
  for (const Matrix matrix : kMatrices) {
    const std::uint64_t mine = redistributions_[number_of(matrix)].digest_of_parts();
    ends[number_of(matrix)] = mine;
    ends[number_of(matrix) + 3] = ~mine;
  }
  all_reduce(std::span(ends), MPI_MAX, communicator, "layouts");
  for (const Matrix matrix : kMatrices) {
    if (ends[number_of(matrix)] == ~ends[number_of(matrix) + 3]) continue;
    throw input_error(fmt::format("layout of {}", "ABC"[number_of(matrix)]), "another one on some ranks",
                      "the same on all ranks", "give all ranks the same grid, ranks, blocks and tiles");
  }
}

void DistributedTiles::require_memory(const std::array<std::byte*, 3>& local) const {
  for (const Matrix matrix : kMatrices) {
    if (!redistributions_[number_of(matrix)].uses_memory() || local[number_of(matrix)]) continue;
    throw input_error(fmt::format("memory of {}", "ABC"[number_of(matrix)]), "NULL",
                      "this rank's elements, which its layout names");
  }
}

void DistributedTiles::gather(MPI_Comm communicator, const std::array<std::byte*, 3>& local) {
  local_ = local;
  for (const Matrix matrix : kMatrices) {
    if (matrix == Matrix::c && !problem_.reads_c()) continue;
    redistributions_[number_of(matrix)].to_tiles(communicator, local[number_of(matrix)], [&](TileId id) {
      return view({matrix, id});
    });
  }
}

void DistributedTiles::scatter(MPI_Comm communicator) const {
  redistributions_[number_of(Matrix::c)].to_layout(
      communicator,
      [&](TileId id) {
        return view({Matrix::c, id});
      },
      local_[number_of(Matrix::c)]);
}

std::int64_t DistributedTiles::moved_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [tile, buffer] : moved_) bytes += bytes_of(problem_, tile);
  return bytes;
}

std::int64_t DistributedTiles::sent_bytes() const {
  std::int64_t bytes = redistributions_[number_of(Matrix::c)].to_layout_bytes();
  for (const Matrix matrix : kMatrices) {
    if (matrix != Matrix::c || problem_.reads_c())
      bytes += redistributions_[number_of(matrix)].to_tiles_bytes();
  }
  return bytes;
}

TileView DistributedTiles::view(TileRef tile) const {
  return moved_.at(tile).view(extents_of(problem_, tile).rows);
}

std::optional<TileView> DistributedTiles::in_place(TileRef tile) const {
  if (moved_.contains(tile)) return view(tile);
  return redistributions_[number_of(tile.matrix)].in_place(tile.id, local_[number_of(tile.matrix)]);
}

void DistributedTiles::fill(TileRef tile, std::byte*) const {
  throw WorkError(fmt::format("tile {} of {}: not on this rank", tile.id, "ABC"[number_of(tile.matrix)]));
}

}  // namespace foretile
