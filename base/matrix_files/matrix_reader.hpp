// SPDX-License-Identifier: BSD-3-Clause
// Reads matrices from files, whatever their format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/matrix_files/input_file.hpp"
#include "base/matrix_files/matrix_facts.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "base/matrix_files/matrix_rectangle.hpp"

namespace foretile {

/// Throws std::out_of_range unless the rectangle is inside a matrix of these extents.
void require_inside(const MatrixRectangle& rectangle, const MatrixFacts& facts);

/// Column-major elements in memory of a caller; `ld` is the distance between columns in elements.
struct MappedRectangle {
  const std::byte* data = nullptr;
  std::int64_t ld = 0;
};

/// The bytes of a matrix are digested in blocks of this size, so that several processes can share the work.
inline constexpr std::int64_t kDigestBlock_bytes = std::int64_t{16} << 20;

/// A matrix in a file. The file stays open, and must stay as it is, as long as the reader exists. All members
/// may be called from several threads at once; each process opens the file for itself.
class MatrixReader {
 public:
  virtual ~MatrixReader() = default;
  MatrixReader(const MatrixReader&) = delete;
  MatrixReader& operator=(const MatrixReader&) = delete;

  const MatrixFacts& facts() const { return facts_; }

  /// Writes the elements of the rectangle, zeros included, to `to`: column-major with `ld` elements from
  /// column to column, in the file's element type. Throws std::out_of_range when the rectangle is not inside,
  /// WorkError when the file cannot be read (any more).
  void read(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const;

  /// The same elements where the file has them column-major, mapped to memory (mmap) and aligned as numbers
  /// must be; nothing otherwise. They stay there as long as the reader. A file that another program cuts off
  /// meanwhile ends this program with SIGBUS; read() throws then.
  virtual std::optional<MappedRectangle> mapped(const MatrixRectangle& rectangle) const;

  /// A reader of the transpose in the same file, in which the elements are column-major, where this matrix is
  /// row-major there; nullptr otherwise. This reader need not outlive it.
  virtual std::unique_ptr<MatrixReader> transposed() const { return nullptr; }

  /// The file, as long as this reader reads it.
  virtual const InputFile& file() const = 0;

  /// The stored elements where the layout is MatrixLayout::coordinates, by column and then by row.
  virtual std::span<const MatrixEntry> entries() const { return {}; }

  /// The blocks of bytes that digest() needs, at least 1.
  std::int64_t digest_blocks() const;
  /// XXH3 (https://xxhash.com) of a block, 64 bits. Reads the block.
  std::uint64_t block_digest(std::int64_t block) const;
  /// XXH3 of the facts and of the digests of all blocks in turn, as 16 hexadecimal digits. Equal matrices in
  /// different layouts have different digests.
  std::string digest(std::span<const std::uint64_t> block_digests) const;
  /// Reads all blocks.
  std::string digest() const;

 protected:
  explicit MatrixReader(MatrixFacts facts) : facts_(std::move(facts)) {}

  /// The rectangle is inside.
  virtual void read_inside(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const = 0;
  /// The bytes that are digested: those of the numbers as the file has them.
  virtual std::int64_t content_bytes() const { return facts_.bytes(); }
  virtual void read_content(std::int64_t begin, std::span<std::byte> to) const = 0;
  /// What says where in the content a number stands, beside the facts.
  virtual std::string content_order() const { return {}; }

 private:
  MatrixFacts facts_;
};

/// Throws InputError when there is no such file or dataset, or it is no matrix that can be read: the message
/// names file and dataset, what was found and what to change.
std::unique_ptr<MatrixReader> open_matrix(const MatrixPlace& place);

}  // namespace foretile
