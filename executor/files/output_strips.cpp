// SPDX-License-Identifier: BSD-3-Clause
#include "executor/files/output_strips.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "executor/layout/stored_rectangle.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kLongLine_bytes = std::int64_t{64} << 10;
constexpr std::int64_t kMostOfStrip_bytes = std::int64_t{32} << 20;
constexpr int kMostAtOnce = 4;  // strips of a rank

/// A tile of C in the file, and who has it.
struct TilePart {
  TileId tile = 0;
  int holder = 0;
  MatrixRectangle where;
};

using Strip = std::vector<TilePart>;

std::int64_t lines_of(const MatrixRectangle& r, bool by_rows) {
  return by_rows ? r.rows : r.columns;
}

std::int64_t elements_of(const MatrixRectangle& r) {
  return r.rows * r.columns;
}

/// Whether the lines of `before` go on in `r`.
bool goes_on(const MatrixRectangle& before, const MatrixRectangle& r, bool by_rows) {
  return by_rows
             ? r.row == before.row && r.rows == before.rows && r.column == before.column + before.columns
             : r.column == before.column && r.columns == before.columns && r.row == before.row + before.rows;
}

/// Parts in the order of the file, cut where lines do not go on, where `splits` says so, and to at most
/// `most` elements.
template <class Splits>
std::vector<Strip> strips_of(const std::vector<TilePart>& parts, bool by_rows, std::int64_t most,
                             const Splits& splits) {
  std::vector<Strip> strips;
  std::int64_t elements = 0;
  for (const TilePart& part : parts) {
    elements += elements_of(part.where);
    if (strips.empty() || !goes_on(strips.back().back().where, part.where, by_rows) || elements > most ||
        splits(strips.back().back(), part)) {
      strips.emplace_back();
      elements = elements_of(part.where);
    }
    strips.back().push_back(part);
  }
  return strips;
}

/// All tiles of C in the order of the file. Collective.
std::vector<TilePart> parts_of(const Contraction& p, const HostStore& host, bool by_rows,
                               MPI_Comm communicator) {
  std::vector<int> holders(static_cast<std::size_t>(p.c.nonzeros()), 0);
  for (const auto& [tile, numbers] : host.c) holders[static_cast<std::size_t>(tile)] = rank_in(communicator);
  all_reduce(std::span(holders), MPI_MAX, communicator, "output");
  std::vector<TilePart> parts;
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile)
    parts.push_back({tile, holders[static_cast<std::size_t>(tile)], stored_rectangle(p, {Matrix::c, tile})});
  std::ranges::sort(parts, {}, [&](const TilePart& part) {
    const MatrixRectangle& r = part.where;
    return by_rows ? std::tuple(r.row, r.column) : std::tuple(r.column, r.row);
  });
  return parts;
}

/// In pieces of lines that are written at once, on average; `whole` of a line counts as long.
bool has_long_lines(const std::vector<Strip>& strips, bool by_rows, std::int64_t whole, std::int64_t bytes) {
  std::int64_t elements = 0, lines = 0;
  for (const Strip& strip : strips) {
    for (const TilePart& part : strip) elements += elements_of(part.where);
    lines += lines_of(strip.front().where, by_rows);
  }
  return lines == 0 || elements / lines * bytes >= std::min(kLongLine_bytes, whole * bytes);
}

class Exchange {
 public:
  Exchange(const Contraction& p, const HostStore& host, MPI_Comm communicator)
      : p_(p), host_(host), communicator_(communicator), rank_(rank_in(communicator)) {}

  RectangleNumbers own(const TilePart& part) const {
    const TileView view = host_.c.at(part.tile).view(extents_of(p_, {Matrix::c, part.tile}).rows);
    return {part.where, view.data, view.ld, p_.is_transposed};
  }

  /// The numbers of a strip that this rank writes; those of others come until wait().
  std::vector<RectangleNumbers> gather(const Strip& strip) {
    std::vector<RectangleNumbers> numbers;
    for (const TilePart& part : strip) {
      if (part.holder == rank_) {
        numbers.push_back(own(part));
        continue;
      }
      const TileExtents extents = extents_of(p_, {Matrix::c, part.tile});
      TileBuffer& buffer = buffers_.emplace_back(extents.bytes());
      require_mpi(MPI_Irecv(buffer.data(), static_cast<int>(extents.bytes() / 4), MPI_INT32_T, part.holder, 0,
                            communicator_, &requests_.emplace_back()),
                  "output");
      numbers.push_back({part.where, buffer.data(), extents.rows, p_.is_transposed});
    }
    return numbers;
  }

  /// Sends what this rank has of a strip that another one writes.
  void send(const Strip& strip, int writer) {
    for (const TilePart& part : strip) {
      if (part.holder != rank_) continue;
      const TileBuffer& numbers = host_.c.at(part.tile);
      require_mpi(MPI_Isend(numbers.data(), static_cast<int>(numbers.size() / 4), MPI_INT32_T, writer, 0,
                            communicator_, &requests_.emplace_back()),
                  "output");
    }
  }

  void wait() {
    for (MPI_Request& request : requests_) wait_while_moving(request, "output");
    requests_.clear();
  }
  void free() { buffers_.clear(); }

 private:
  const Contraction& p_;
  const HostStore& host_;
  MPI_Comm communicator_;
  int rank_;
  std::deque<TileBuffer> buffers_;
  std::deque<MPI_Request> requests_;
};

/// Strips are distributed round-robin, `at_once` to a rank. An error of writing waits until all tiles have
/// come where they go.
void exchange_and_write(const std::vector<Strip>& strips, int at_once, Exchange& exchange,
                        MPI_Comm communicator,
                        const std::function<void(std::span<const RectangleNumbers>)>& write) {
  const auto ranks = static_cast<std::size_t>(size_of(communicator));
  const auto each = static_cast<std::size_t>(at_once);
  std::exception_ptr failure;
  for (std::size_t first = 0; first < strips.size(); first += ranks * each) {
    std::vector<std::vector<RectangleNumbers>> mine;
    for (std::size_t i = first; i < std::min(strips.size(), first + ranks * each); ++i) {
      const int writer = static_cast<int>((i - first) / each);
      if (writer == rank_in(communicator)) {
        mine.push_back(exchange.gather(strips[i]));
      } else {
        exchange.send(strips[i], writer);
      }
    }
    exchange.wait();
    try {
      if (!failure) in_parallel(mine.size(), at_once, [&](std::size_t i) { write(mine[i]); });
    } catch (...) {
      failure = std::current_exception();
    }
    exchange.free();
  }
  agree(communicator, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace

void write_in_strips(const Contraction& p, const HostStore& host, bool by_rows, int threads,
                     MPI_Comm communicator,
                     const std::function<void(std::span<const RectangleNumbers>)>& write) {
  const std::vector<TilePart> parts = parts_of(p, host, by_rows, communicator);
  const std::vector<Strip> own =
      strips_of(parts, by_rows, std::numeric_limits<std::int64_t>::max(),
                [](const TilePart& x, const TilePart& y) { return x.holder != y.holder; });
  Exchange exchange(p, host, communicator);
  const std::int64_t bytes = p.element_bytes();
  const std::int64_t whole = (by_rows != p.is_transposed ? p.n : p.m).extent();
  const std::int64_t largest = p.m.largest() * p.n.largest() * bytes;
  if (has_long_lines(own, by_rows, whole, bytes) || largest / 4 > std::numeric_limits<int>::max()) {
    agree(communicator, [&] {
      in_parallel(own.size(), threads, [&](std::size_t i) {
        if (own[i].front().holder != rank_in(communicator)) return;
        std::vector<RectangleNumbers> numbers;
        for (const TilePart& part : own[i]) numbers.push_back(exchange.own(part));
        write(numbers);
      });
    });
    return;
  }
  const std::vector<Strip> strips = strips_of(parts, by_rows, kMostOfStrip_bytes / bytes,
                                              [](const TilePart&, const TilePart&) { return false; });
  exchange_and_write(strips, std::clamp(threads, 1, kMostAtOnce), exchange, communicator, write);
}

}  // namespace foretile
