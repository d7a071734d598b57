// SPDX-License-Identifier: BSD-3-Clause
// A block-sparse matrix: its stored tiles are somewhere in a list of elements, each column-major.
#pragma once

#include <memory>
#include <vector>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// A list of elements in a file. All members may be called from several threads at once.
class ElementList {
 public:
  virtual ~ElementList() = default;
  /// Elements [first, first + count), which exist. Throws WorkError when they cannot be read.
  virtual void read(std::int64_t first, std::int64_t count, std::byte* to) const = 0;
  /// The address of the first element where all are mapped to memory, else null.
  virtual const std::byte* mapped() const { return nullptr; }
  virtual const InputFile& file() const = 0;
};

class BlockReader final : public MatrixReader {
 public:
  /// `offsets` belong to `facts.tiles`: the first element of each in the list.
  BlockReader(MatrixFacts facts, std::vector<std::int64_t> offsets, std::unique_ptr<ElementList> elements);

  std::optional<MappedRectangle> mapped(const MatrixRectangle& rectangle) const override;
  const InputFile& file() const override { return elements_->file(); }

 private:
  /// A stored tile.
  struct Tile {
    std::int64_t row, column, rows, columns;  ///< elements of the matrix
    std::int64_t first;                       ///< its first element in the list
  };

  void read_inside(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const override;
  void read_content(std::int64_t begin, std::span<std::byte> to) const override;
  std::string content_order() const override;
  Tile tile(std::size_t number) const;
  /// Calls visit(tile) for each stored tile that has elements of the rectangle.
  template <class Visit>
  void for_each_tile(const MatrixRectangle& rectangle, const Visit& visit) const;
  void copy_part(const Tile& tile, const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const;

  std::vector<std::int64_t> row_cuts_, column_cuts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> content_;  ///< where the tiles begin when they are one behind the other
  std::unique_ptr<ElementList> elements_;
};

}  // namespace foretile
