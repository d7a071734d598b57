// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/redistribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "executor/layout/stored_rectangle.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

MatrixRectangle whole(const Contraction& p, Matrix matrix) {
  MatrixRectangle all{0, 0, (matrix == Matrix::b ? p.k : p.m).extent(),
                      (matrix == Matrix::a ? p.k : p.n).extent()};
  const Op op = matrix == Matrix::a ? p.a_op : matrix == Matrix::b ? p.b_op : Op::none;
  if (op != Op::none) std::swap(all.rows, all.columns);
  return all;
}

using Place = std::function<TileView(const MovedPart&)>;

TileExtents extents_of(const MovedPart& part, std::int64_t element_bytes) {
  return {part.rows, part.columns, element_bytes};
}

std::int64_t moved_bytes(std::span<const MovedPart> parts, std::int64_t element_bytes) {
  std::int64_t bytes = 0;
  for (const MovedPart& part : parts) bytes += extents_of(part, element_bytes).bytes();
  return bytes;
}

/// What the messages in one direction between two ranks have in common: runs of parts of about kRedistributed
/// bytes, of which two are under way at once, each with a buffer.
class Route {
 public:
  Route(MPI_Comm communicator, const std::vector<MovedPart>& parts, Place place, int other,
        std::int64_t element_bytes)
      : communicator_(communicator),
        parts_(parts),
        place_(std::move(place)),
        other_(other),
        element_bytes_(element_bytes) {}

 protected:
  /// The next run, nothing behind the last.
  std::span<const MovedPart> next_run() {
    const std::size_t first = at_;
    for (std::int64_t bytes = 0; at_ < parts_.size(); ++at_) {
      bytes += extents_of(parts_[at_], element_bytes_).bytes();
      if (at_ > first && bytes > kRedistributed) break;
    }
    return std::span(parts_).subspan(first, at_ - first);
  }
  /// Calls visit(extents, the part, its place in the message).
  template <class Visit>
  void for_each_part(std::span<const MovedPart> run, std::byte* message, const Visit& visit) const {
    for (const MovedPart& part : run) {
      const TileExtents extents = extents_of(part, element_bytes_);
      visit(extents, place_(part), extents.gapless_at(message));
      message += extents.bytes();
    }
  }
  std::byte* room(std::size_t turn, std::int64_t bytes) {
    TileBuffer& buffer = buffers_[turn];
    if (buffer.size() < bytes) buffer = TileBuffer(bytes);
    return buffer.data();
  }
  void wait(std::size_t turn) { wait_while_moving(requests_[turn], kWhat); }

  static constexpr const char* kWhat = "redistribution";
  MPI_Comm communicator_;
  const std::vector<MovedPart>& parts_;
  Place place_;
  int other_;
  std::int64_t element_bytes_;
  std::size_t at_ = 0;
  std::array<TileBuffer, 2> buffers_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

/// Numbers of each run, counted in pieces of 4 bytes, the least that an element consists of.
int count_of(std::int64_t bytes) {
  return static_cast<int>(bytes / 4);
}

class Sends : public Route {
 public:
  using Route::Route;

  /// Sends one run. False: there is none left.
  bool step() {
    const std::span<const MovedPart> run = next_run();
    if (run.empty()) return false;
    wait(turn_);
    const std::int64_t bytes = moved_bytes(run, element_bytes_);
    std::byte* message = room(turn_, bytes);
    for_each_part(run, message, [](const TileExtents& extents, TileView part, TileView packed) {
      copy_tile(extents, part, packed);
    });
    require_mpi(MPI_Isend(message, count_of(bytes), MPI_INT32_T, other_, 0, communicator_, &requests_[turn_]),
                kWhat);
    turn_ = 1 - turn_;
    return true;
  }
  void finish() {
    wait(0);
    wait(1);
  }

 private:
  std::size_t turn_ = 0;
};

class Receives : public Route {
 public:
  using Route::Route;

  void start() {
    for (const std::size_t turn : {0U, 1U}) expect(turn);
  }
  /// Waits for one run. False: there is none left.
  bool step() {
    const std::span<const MovedPart> run = expected_[turn_];
    if (run.empty()) return false;
    wait(turn_);
    for_each_part(
        run, buffers_[turn_].data(),
        [](const TileExtents& extents, TileView part, TileView packed) { copy_tile(extents, packed, part); });
    expect(turn_);
    turn_ = 1 - turn_;
    return true;
  }

 private:
  void expect(std::size_t turn) {
    expected_[turn] = next_run();
    const std::int64_t bytes = moved_bytes(expected_[turn], element_bytes_);
    if (bytes == 0) return;
    require_mpi(MPI_Irecv(room(turn, bytes), count_of(bytes), MPI_INT32_T, other_, 0, communicator_,
                          &requests_[turn]),
                kWhat);
  }

  std::array<std::span<const MovedPart>, 2> expected_;
  std::size_t turn_ = 0;
};

/// Rank by rank: each sends to the one `shift` behind it while it receives from the one `shift` before it.
void exchange(MPI_Comm communicator, int self, std::int64_t element_bytes,
              const std::vector<std::vector<MovedPart>>& out, const Place& from,
              const std::vector<std::vector<MovedPart>>& in, const Place& to) {
  const int ranks = static_cast<int>(out.size());
  const auto own = static_cast<std::size_t>(self);
  for (std::size_t part = 0; part < out[own].size(); ++part)
    copy_tile(extents_of(out[own][part], element_bytes), from(out[own][part]), to(in[own][part]));
  for (int shift = 1; shift < ranks; ++shift) {
    const int next = (self + shift) % ranks, previous = (self + ranks - shift) % ranks;
    Sends sends(communicator, out[static_cast<std::size_t>(next)], from, next, element_bytes);
    Receives receives(communicator, in[static_cast<std::size_t>(previous)], to, previous, element_bytes);
    receives.start();
    for (bool more = true; more;) {
      const bool sent = sends.step();
      more = receives.step() || sent;
    }
    sends.finish();
  }
}

/// In pieces of about a message.
void add_part(std::vector<MovedPart>& parts, MovedPart part, std::int64_t element_bytes) {
  const std::int64_t columns = std::max<std::int64_t>(1, kRedistributed / (part.rows * element_bytes));
  const std::int64_t end = part.columns;
  for (std::int64_t column = 0; column < end; column += columns) {
    MovedPart piece = part;
    piece.tile_column += column;
    piece.at += column * part.ld;
    piece.columns = std::min(columns, end - column);
    parts.push_back(piece);
  }
}

constexpr std::uint64_t kDigestPrime = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, odd

}  // namespace

Redistribution::Redistribution(const Contraction& p, Matrix matrix, const std::function<Rank(TileId)>& owner,
                               const Layout& layout, Rank self, int ranks)
    : element_bytes_(p.element_bytes()), self_(self) {
  const MatrixRectangle all = whole(p, matrix);
  if (layout.rows() != all.rows || layout.columns() != all.columns)
    throw input_error(fmt::format("layout of {}", "ABC"[static_cast<int>(matrix)]),
                      fmt::format("{} x {}", layout.rows(), layout.columns()),
                      fmt::format("{} x {}, as the contraction has it", all.rows, all.columns));
  in_layout_.resize(static_cast<std::size_t>(ranks));
  in_tiles_.resize(static_cast<std::size_t>(ranks));
  for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile) {
    add_tile(tile, stored_rectangle(p, {matrix, tile}), owner(tile), layout);
  }
}

void Redistribution::add_tile(TileId tile, const MatrixRectangle& where, Rank owner, const Layout& layout) {
  std::vector<MatrixPart> parts;
  digest_of_parts_ += 1;
  layout.for_each_part(where, [&](const MatrixPart& part) {
    if (part.where.empty()) return;
    parts.push_back(part);
    uses_memory_ = uses_memory_ || part.rank == self_;
    for (const std::int64_t number :
         {part.where.row, part.where.column, part.where.rows, part.where.columns, std::int64_t{part.rank}})
      digest_of_parts_ = (digest_of_parts_ ^ static_cast<std::uint64_t>(number)) * kDigestPrime;
    digest_of_parts_ ^= digest_of_parts_ >> 29;
  });
  if (parts.size() == 1 && parts.front().rank == owner) {
    if (owner == self_) in_place_.emplace(tile, std::pair(parts.front().at, parts.front().ld));
    return;
  }
  for (const MatrixPart& part : parts) {
    if (part.rank < 0 || part.rank >= std::ssize(in_layout_))
      throw input_error("layout", fmt::format("rank {}", part.rank),
                        fmt::format("0 to {}", in_layout_.size() - 1));
    const MovedPart moved{tile,
                          part.where.row - where.row,
                          part.where.column - where.column,
                          part.at,
                          part.ld,
                          part.where.rows,
                          part.where.columns};
    if (part.rank == self_) add_part(in_layout_[static_cast<std::size_t>(owner)], moved, element_bytes_);
    if (owner == self_) add_part(in_tiles_[static_cast<std::size_t>(part.rank)], moved, element_bytes_);
  }
}

std::optional<TileView> Redistribution::in_place(TileId tile, std::byte* local) const {
  const auto found = in_place_.find(tile);
  if (found == in_place_.end()) return std::nullopt;
  return TileView{local + found->second.first * element_bytes_, found->second.second};
}

std::int64_t Redistribution::sent_bytes(const Parts& parts) const {
  std::int64_t bytes = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    if (static_cast<int>(rank) != self_) bytes += moved_bytes(parts[rank], element_bytes_);
  }
  return bytes;
}

namespace {

Place in_layout(std::byte* local, std::int64_t element_bytes) {
  return [=](const MovedPart& part) { return TileView{local + part.at * element_bytes, part.ld}; };
}

Place in_tile(const Redistribution::Tiles& tiles, std::int64_t element_bytes) {
  return [&tiles, element_bytes](const MovedPart& part) {
    const TileView view = tiles(part.tile);
    return TileView{view.data + (part.tile_row + part.tile_column * view.ld) * element_bytes, view.ld};
  };
}

}  // namespace

void Redistribution::to_tiles(MPI_Comm communicator, const std::byte* local, const Tiles& tiles) const {
  const Place from = in_layout(const_cast<std::byte*>(local), element_bytes_);  // only read
  exchange(communicator, self_, element_bytes_, in_layout_, from, in_tiles_, in_tile(tiles, element_bytes_));
}

void Redistribution::to_layout(MPI_Comm communicator, const Tiles& tiles, std::byte* local) const {
  exchange(communicator, self_, element_bytes_, in_tiles_, in_tile(tiles, element_bytes_), in_layout_,
           in_layout(local, element_bytes_));
}

}  // namespace foretile
