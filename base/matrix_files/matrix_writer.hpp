// SPDX-License-Identifier: BSD-3-Clause
// Writes a matrix into a new file; several processes write parts of it at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/matrix_files/matrix_facts.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// The facts of a matrix that is to be written to `place` without zero tiles left out: in the layout that the
/// format has. Throws InputError for a format that is only read (.mtx) and for impossible extents.
MatrixFacts dense_output(const MatrixPlace& place, std::int64_t rows, std::int64_t columns,
                         ElementType element);

/// The output of one process, which creates the file, and puts it in place when all have written:
///
///   MatrixOutput output(place, facts);       // one process; sends output.ticket() to the others
///   MatrixWriter writer(ticket, facts);      // every process, this one too
///   writer.write(...); writer.close();
///   output.finish();                         // the one process, after all writers were closed
///
/// Until finish() the file has a temporary name beside `place.file` (base/atomic_file.hpp); without finish()
/// nothing changes. An HDF5 file that exists keeps its other datasets: it is copied first. A dataset, or
/// group of blocks, of the same name is replaced with `overwrite` alone; another group of that name is
/// refused.
class MatrixOutput {
 public:
  /// Reserves the whole size: a full disk is found here. The layout is row_major or block_sparse in HDF5, and
  /// column_major in .npy. Throws InputError for what the format cannot hold or when the file may not be
  /// written, or another run writes the same .npy file; WorkError when there is no room.
  MatrixOutput(const MatrixPlace& place, const MatrixFacts& facts, bool overwrite = false);
  ~MatrixOutput();
  MatrixOutput(const MatrixOutput&) = delete;
  MatrixOutput& operator=(const MatrixOutput&) = delete;

  /// What a MatrixWriter needs, also on other nodes that see the same folder under the same path.
  const std::string& ticket() const { return ticket_; }
  /// Gives the file its name. It does not wait for the disk: MatrixWriter::close() did. An HDF5 file to which
  /// another program wrote meanwhile stays as it is: the output gets a free name beside it. Returns the path.
  /// Throws WorkError.
  std::filesystem::path finish();

 private:
  class File;
  std::unique_ptr<File> file_;
  std::string ticket_;
};

/// Throws WorkError, which says where the output is, when finish() put it beside its place.
void require_in_place(const MatrixPlace& place, const std::filesystem::path& found);

/// The temporary file, on a node that sees the folder of the MatrixOutput.
std::string path_of_ticket(const std::string& ticket);

/// Elements of a rectangle in memory: column-major with `ld` from column to column, or row-major with `ld`
/// from row to row; in the file's element type.
struct RectangleNumbers {
  MatrixRectangle where;
  const std::byte* data = nullptr;
  std::int64_t ld = 0;
  bool row_major = false;
};

/// Writes rectangles of the matrix. write() may be called from several threads at once, for rectangles that
/// do not overlap. An element that is not written may have any value.
class MatrixWriter {
 public:
  /// `ticket` and `facts` are those of the MatrixOutput. Throws WorkError when the file cannot be opened.
  MatrixWriter(const std::string& ticket, const MatrixFacts& facts);

  /// The rectangle's elements are at `from`, column-major with `ld` elements from column to column, in the
  /// element type of the facts. In a block-sparse matrix the rectangle is in one stored tile. Throws
  /// std::out_of_range for another rectangle, WorkError when it cannot be written.
  void write(const MatrixRectangle& rectangle, const std::byte* from, std::int64_t ld) const;
  /// The same of rectangles of a dense matrix that are side by side: the rows of a row-major file, or the
  /// columns of another, go on from each to the next. Much faster than one by one. Throws std::out_of_range
  /// where they do not.
  void write(std::span<const RectangleNumbers> strip) const;
  /// Whether the file's lines are rows.
  bool by_rows() const { return facts_.layout == MatrixLayout::row_major; }
  /// Waits until all has reached the disk (fsync), so that every error is seen. Throws WorkError.
  void close();

 private:
  struct Target;  // where a rectangle goes in the file
  void write_tile(const MatrixRectangle& rectangle, const std::byte* from, std::int64_t ld) const;
  void write_at(std::int64_t begin, const std::byte* from, std::int64_t bytes) const;
  Target target_of(const MatrixRectangle& rectangle) const;

  MatrixFacts facts_;
  std::vector<std::int64_t> row_cuts_, column_cuts_;  ///< of a block-sparse matrix
  std::vector<std::int64_t> offsets_;                 ///< of its stored tiles, in elements
  std::string path_;
  std::int64_t begin_ = 0;  ///< of the numbers, in bytes
  Descriptor file_;
};

}  // namespace foretile
