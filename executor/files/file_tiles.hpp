// SPDX-License-Identifier: BSD-3-Clause
// Numbers of A, B and the initial C from files, and C into a file.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "base/temporary_files.hpp"
#include "executor/backends/host_store.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "planner/problem/kinds/matrices.hpp"

namespace foretile {

/// Tiles of A and B are in place where their file is dense and mapped to memory; the others are read when
/// they are asked for, and so are the initial C and an operand that is read through a window: mapped, it
/// would fill memory. C does not go back to its file. Where the contraction is transposed, its A is in the
/// file of B, its B in that of A, and C in the file is its transpose.
class FileTiles final : public TileStorage {
 public:
  /// Opens the files. A row-major operand is taken as its transpose, which is column-major: its operation in
  /// the contraction, which must outlive this, is turned, unless that leaves a conjugate, or
  /// `keep_operations` for kernels that have none. Not collective. Throws InputError.
  FileTiles(Contraction& contraction, const MatricesParameters& inputs, bool keep_operations);

  /// Throws InputError on all ranks, as agree() has it, when a file holds other numbers than the problem was
  /// made for. Collective: the ranks share the reading of all bytes.
  void require_unchanged(MPI_Comm communicator) const;

  /// Throws InputError on all ranks, as agree() has it, when a program wrote to a file since it was opened.
  /// Where the file system may not note that, all bytes are compared again. Collective.
  void require_untouched(MPI_Comm communicator) const;

  /// Whether the operation of the operand was turned.
  bool is_turned(Matrix matrix) const { return file_of(matrix).turned != nullptr; }

  std::optional<TileView> in_place(TileRef tile) const override;
  void fill(TileRef tile, std::byte* to) const override;

 private:
  struct File {
    MatrixInput input;
    std::unique_ptr<MatrixReader> reader;  // nullptr: no initial C
    std::unique_ptr<MatrixReader> turned;  // of the transpose; nullptr: not turned

    const MatrixReader& numbers() const { return turned ? *turned : *reader; }
  };
  static void require_digest(const File& file, MPI_Comm communicator);
  const File& file_of(Matrix matrix) const { return files_[static_cast<std::size_t>(matrix)]; }

  const Contraction& problem_;
  std::array<File, 3> files_;
};

/// C of all ranks in one file, written whole or not at all.
class OutputOfC {
 public:
  /// Rank 0 reserves the whole file under a temporary name. A dense file, or in HDF5 a block-sparse one where
  /// C has zero tiles. Collective: what fails on rank 0 is thrown on all, as agree() has it.
  OutputOfC(const MatrixPlace& place, const Contraction& contraction, bool overwrite, MPI_Comm communicator);

  /// Writes all ranks' tiles and, in a dense file, the zero tiles, on several threads
  /// (executor/files/output_strips.hpp); then the file gets its name. Collective, errors as above.
  void write(const HostStore& host, int threads);

 private:
  void write_stored_tiles(const HostStore& host, int threads, const MatrixWriter& writer) const;
  void write_zeros(const MatrixWriter& writer) const;

  const Contraction& problem_;
  MatrixPlace place_;
  MPI_Comm communicator_;
  MatrixFacts facts_;
  std::optional<MatrixOutput> output_;  // of rank 0
  std::string ticket_;
  std::optional<TemporaryFileOfOthers> of_rank_0_;  // on the others
};

}  // namespace foretile
