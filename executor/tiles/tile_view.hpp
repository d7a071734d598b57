// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tile in memory of a caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace foretile {

/// Column-major: element (i, j) is the (i + j ld)-th. Tiles of A and B are only read.
struct TileView {
  std::byte* data = nullptr;  ///< the first element; nullptr: no tile
  std::int64_t ld = 0;        ///< in elements, at least the rows and 1
};

/// The extents of a tile as it is in memory.
struct TileExtents {
  std::int64_t rows = 0,           ///< in elements
      columns = 0;                 ///< in elements
  std::int64_t element_bytes = 0;  ///< bytes of an element

  /// Bytes of all elements, without gaps.
  std::int64_t bytes() const { return rows * columns * element_bytes; }
  /// Whether such a tile has no gaps between its columns.
  bool gapless(TileView view) const { return view.ld == rows || columns <= 1; }
  /// The tile at this address, without gaps.
  TileView gapless_at(std::byte* data) const { return {data, std::max<std::int64_t>(1, rows)}; }
};

/// Calls visit(from, to, bytes) for pieces without gaps: all of both tiles, or column by column.
template <class Visit>
void for_each_piece(const TileExtents& extents, TileView from, TileView to, const Visit& visit) {
  if (extents.gapless(from) && extents.gapless(to)) {
    visit(from.data, to.data, extents.bytes());
    return;
  }
  const std::int64_t column = extents.rows * extents.element_bytes;
  for (std::int64_t j = 0; j < extents.columns; ++j)
    visit(from.data + j * from.ld * extents.element_bytes, to.data + j * to.ld * extents.element_bytes,
          column);
}

/// Copies all elements; the tiles must not overlap.
inline void copy_tile(const TileExtents& extents, TileView from, TileView to) {
  for_each_piece(extents, from, to, [](const std::byte* x, std::byte* y, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(y, x, static_cast<std::size_t>(bytes));
  });
}

}  // namespace foretile
