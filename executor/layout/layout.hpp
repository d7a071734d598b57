// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a program keeps a dense matrix on its ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/id.hpp"
#include "base/matrix_files/matrix_rectangle.hpp"

namespace foretile {

/// A rectangle that is stored column-major on one rank. Its place is known on that rank alone.
struct MatrixPart {
  MatrixRectangle where;  ///< the elements that it holds
  Rank rank = 0;          ///< the rank that stores it
  std::int64_t at = 0;    ///< the first element, counted in elements from the start of the rank's memory
  std::int64_t ld = 1;    ///< distance between neighbouring columns, in elements
};

/// Of a rank's memory, so that places fit 63 bits also in bytes of elements of 16.
inline constexpr std::int64_t kMostElements = std::numeric_limits<std::int64_t>::max() / 16;

/// All ranks describe the same matrix, each with its own memory.
class Layout {
 public:
  virtual ~Layout() = default;

  /// Rows of the matrix, in elements.
  virtual std::int64_t rows() const = 0;
  /// Columns of the matrix, in elements.
  virtual std::int64_t columns() const = 0;
  /// The parts of the rectangle, each element in one; in the same order on all ranks.
  virtual void for_each_part(const MatrixRectangle& of,
                             const std::function<void(const MatrixPart&)>& visit) const = 0;
  /// Whether it describes the memory of this rank, as far as it knows.
  virtual bool is_of(Rank) const { return true; }
  /// Two layouts with the same text on a rank are the same there.
  virtual std::string text() const = 0;
};

/// A matrix in a program's memory: the layout, and where the rank's elements start (nullptr: it has none).
struct DistributedMatrix {
  std::shared_ptr<const Layout> layout;  ///< how it is distributed; the same matrix on all ranks
  std::byte* local = nullptr;
};

}  // namespace foretile
