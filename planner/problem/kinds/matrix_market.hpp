// Sparse matrices from Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/problem/shape.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

struct CoordinateMatrix {
  struct Entry {
    std::int64_t row, column;  ///< counted from 0
    double magnitude;          ///< of the value; 1 in a pattern
  };
  std::int64_t rows = 0, columns = 0;
  std::vector<Entry> entries;  ///< both halves of a symmetric matrix
};

/// Reads the coordinate format: real, integer, complex or pattern; general, symmetric, skew-symmetric or
/// hermitian. `source` is for messages. Throws InputError with the line.
CoordinateMatrix parse_matrix_market(std::string_view text, const std::string& source);

/// The tiles that hold an entry, row by row, with their Frobenius norms. The tilings span the matrix.
std::vector<Shape::Entry> nonzero_tiles(const CoordinateMatrix& matrix, const Tiling& rows,
                                        const Tiling& columns);

}  // namespace foretile
