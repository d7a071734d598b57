// SPDX-License-Identifier: BSD-3-Clause
#include "executor/files/file_tiles.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/transpose.hpp"
#include "executor/files/input_checks.hpp"
#include "executor/files/output_strips.hpp"
#include "executor/layout/stored_rectangle.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

InputError changed(const MatrixInput& input, const std::string& found, const std::string& expected) {
  return input_error(input.place, found, fmt::format("{}, as when the problem was made", expected),
                     "make problem and plan again, or bring the old file back");
}

/// Of a whole matrix, as it is stored.
std::pair<std::int64_t, std::int64_t> stored_extents(const Contraction& p, Matrix matrix) {
  const Op op = matrix == Matrix::a ? p.a_op : matrix == Matrix::b ? p.b_op : Op::none;
  const std::int64_t rows = (matrix == Matrix::b ? p.k : p.m).extent();
  const std::int64_t columns = (matrix == Matrix::a ? p.k : p.n).extent();
  const bool turned = matrix == Matrix::c ? p.is_transposed : op != Op::none;
  return turned ? std::pair(columns, rows) : std::pair(rows, columns);
}

/// A tile of C as the file has it, of a contraction that is transposed.
TileBuffer turned_c(const Contraction& p, TileId tile, TileView numbers) {
  const TileExtents extents = extents_of(p, {Matrix::c, tile});
  TileBuffer turned(extents.bytes());
  transpose_block(p.element(), numbers.data, numbers.ld, turned.data(), extents.columns, extents.rows,
                  extents.columns);
  return turned;
}

std::vector<std::int64_t> sizes_of(const Tiling& tiling) {
  std::vector<std::int64_t> sizes;
  for (std::int32_t t = 0; t < tiling.tiles(); ++t) sizes.push_back(tiling.size(t));
  return sizes;
}

bool every_tile(const Contraction& p) {
  return p.c.nonzeros() == std::int64_t{p.m.tiles()} * p.n.tiles();
}

MatrixFacts output_facts(const MatrixPlace& place, const Contraction& p) {
  const Tiling& rows = p.is_transposed ? p.n : p.m;
  const Tiling& columns = p.is_transposed ? p.m : p.n;
  if (place.format != MatrixFormat::hdf5 || every_tile(p))
    return dense_output(place, rows.extent(), columns.extent(), p.element());
  std::vector<MatrixTile> tiles;
  for (TileId id = 0; id < p.c.nonzeros(); ++id) {
    const std::int32_t row = p.c.row_of(id), column = p.c.column_of(id);
    tiles.push_back(p.is_transposed ? MatrixTile{column, row} : MatrixTile{row, column});
  }
  return block_sparse_facts(name_of(place), sizes_of(rows), sizes_of(columns), std::move(tiles), p.element());
}

/// Nothing where an operand's numbers are better turned when they are read.
std::unique_ptr<MatrixReader> turned_reader(const Contraction& p, Matrix matrix, const MatrixReader& reader) {
  const Op op = matrix == Matrix::a ? p.a_op : p.b_op;
  const bool conjugates = op == Op::conjugate_transpose && p.complex_elements;
  return matrix == Matrix::c || conjugates ? nullptr : reader.transposed();
}

}  // namespace

FileTiles::FileTiles(Contraction& contraction, const MatricesParameters& inputs, bool keep_operations)
    : problem_(contraction) {
  std::array<const MatrixInput*, 3> given{&inputs.a, &inputs.b, inputs.c ? &*inputs.c : nullptr};
  if (contraction.is_transposed) std::swap(given[0], given[1]);
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    const auto number = static_cast<std::size_t>(matrix);
    if (!given[number]) continue;
    File& file = files_[number];
    file.input = *given[number];
    file.reader = open_matrix(parse_matrix_place(file.input.place));
    const MatrixFacts& facts = file.reader->facts();
    const auto [rows, columns] = stored_extents(contraction, matrix);
    if (facts.rows != rows || facts.columns != columns)
      throw changed(file.input, fmt::format("{} x {}", facts.rows, facts.columns),
                    fmt::format("{} x {}", rows, columns));
    if (facts.element != contraction.element())
      throw changed(file.input, std::string(foretile::name_of(facts.element)),
                    std::string(foretile::name_of(contraction.element())));
    if (facts.bytes() != file.input.bytes)
      throw changed(file.input, fmt::format("{} bytes", facts.bytes()),
                    fmt::format("{} bytes", file.input.bytes));
    if (keep_operations) continue;
    file.turned = turned_reader(contraction, matrix, *file.reader);
    if (!file.turned) continue;
    Op& op = matrix == Matrix::a ? contraction.a_op : contraction.b_op;
    op = op == Op::none ? Op::transpose : Op::none;
  }
}

void FileTiles::require_unchanged(MPI_Comm communicator) const {
  for (const File& file : files_) {
    if (!file.reader) continue;
    require_one_file(file.reader->file(), communicator);
    require_digest(file, communicator);
  }
}

void FileTiles::require_digest(const File& file, MPI_Comm communicator) {
  const int rank = rank_in(communicator), ranks = size_of(communicator);
  std::vector<std::uint64_t> digests(static_cast<std::size_t>(file.reader->digest_blocks()), 0);
  agree(communicator, [&] {
    for (auto block = static_cast<std::int64_t>(rank); block < std::ssize(digests); block += ranks)
      digests[static_cast<std::size_t>(block)] = file.reader->block_digest(block);
  });
  all_reduce(std::span(digests), MPI_SUM, communicator, "digests");
  agree(communicator, [&] {
    const std::string found = file.reader->digest(digests);
    if (found != file.input.digest)
      throw changed(file.input, "numbers with digest " + found, "digest " + file.input.digest);
  });
}

void FileTiles::require_untouched(MPI_Comm communicator) const {
  agree(communicator, [&] {
    for (const File& file : files_) {
      if (file.reader && file.reader->file().is_changed()) throw written_during_run(file.input.place);
    }
  });
  for (const File& file : files_) {
    const int unseen = file.reader && !file.reader->file().notes_every_write() ? 1 : 0;
    if (all_reduced(unseen, MPI_MAX, communicator, "input files") != 0) require_digest(file, communicator);
  }
}

/// A and B are only read.
std::optional<TileView> FileTiles::in_place(TileRef tile) const {
  if (tile.matrix == Matrix::c) return std::nullopt;
  if (tile.matrix == Matrix::b && problem_.sources.b == Source::in_file) return std::nullopt;
  const auto mapped = file_of(tile.matrix).numbers().mapped(stored_rectangle(problem_, tile));
  if (!mapped) return std::nullopt;
  return TileView{const_cast<std::byte*>(mapped->data), mapped->ld};
}

void FileTiles::fill(TileRef tile, std::byte* to) const {
  const MatrixRectangle where = stored_rectangle(problem_, tile);
  const MatrixReader& reader = file_of(tile.matrix).numbers();
  if (tile.matrix != Matrix::c || !problem_.is_transposed) {
    reader.read(where, to, where.rows);
    return;
  }
  TileBuffer stored(extents_of(problem_, tile).bytes());
  reader.read(where, stored.data(), where.rows);
  transpose_block(problem_.element(), stored.data(), where.rows, to, where.columns, where.rows,
                  where.columns);
}

OutputOfC::OutputOfC(const MatrixPlace& place, const Contraction& contraction, bool overwrite,
                     MPI_Comm communicator)
    : problem_(contraction), place_(place), communicator_(communicator) {
  agree(communicator, [&] {
    facts_ = output_facts(place, contraction);
    if (rank_in(communicator) == 0) output_.emplace(place, facts_, overwrite);
  });
  ticket_ = broadcast(output_ ? output_->ticket() : std::string(), 0, communicator, "output");
  if (!output_) of_rank_0_.emplace(path_of_ticket(ticket_));
}

void OutputOfC::write_stored_tiles(const HostStore& host, int threads, const MatrixWriter& writer) const {
  std::vector<TileId> own;
  for (const auto& [tile, numbers] : host.c) own.push_back(tile);
  std::sort(own.begin(), own.end());
  in_parallel(own.size(), threads, [&](std::size_t i) {
    const TileRef tile{Matrix::c, own[i]};
    const TileView view = host.c.at(own[i]).view(extents_of(problem_, tile).rows);
    const MatrixRectangle where = stored_rectangle(problem_, tile);
    if (problem_.is_transposed) {
      writer.write(where, turned_c(problem_, own[i], view).data(), where.rows);
    } else {
      writer.write(where, view.data, view.ld);
    }
  });
}

/// Zero tiles are distributed round-robin.
void OutputOfC::write_zeros(const MatrixWriter& writer) const {
  const int rank = rank_in(communicator_), ranks = size_of(communicator_);
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(problem_.m.largest() * problem_.n.largest() * problem_.element_bytes()),
      std::byte{0});
  std::int64_t number = 0;
  for (std::int32_t i = 0; i < problem_.m.tiles(); ++i) {
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      if (problem_.c.find(i, j) || number++ % ranks != rank) continue;
      MatrixRectangle where{problem_.m.begin(i), problem_.n.begin(j), problem_.m.size(i), problem_.n.size(j)};
      if (problem_.is_transposed) where = transposed(where);
      writer.write(where, zeros.data(), where.rows);
    }
  }
}

void OutputOfC::write(const HostStore& host, int threads) {
  std::optional<MatrixWriter> writer;
  agree(communicator_, [&] { writer.emplace(ticket_, facts_); });
  const bool in_strips = facts_.layout != MatrixLayout::block_sparse;
  if (in_strips)
    write_in_strips(problem_, host, writer->by_rows(), threads, communicator_,
                    [&](std::span<const RectangleNumbers> strip) { writer->write(strip); });
  agree(communicator_, [&] {
    if (!in_strips) write_stored_tiles(host, threads, *writer);
    if (in_strips && !every_tile(problem_)) write_zeros(*writer);
    writer->close();
  });
  agree(communicator_, [&] {
    if (output_) require_in_place(place_, output_->finish());
  });
}

}  // namespace foretile
