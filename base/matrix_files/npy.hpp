// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// What stands before the numbers.
struct NpyHeader {
  MatrixFacts facts;       ///< row_major or column_major
  std::int64_t bytes = 0;  ///< of all that stands before the numbers
};

/// Reads the header of versions 1 to 3. `start` is the file's beginning, with the whole header; `name` is for
/// messages. Throws InputError for another version, another type than <f4, <f8, <c8 and <c16, and for what
/// has not two dimensions.
NpyHeader parse_npy_header(std::string_view start, std::string_view name);

/// Version 1, padded so that the numbers begin at a multiple of 64 bytes.
std::string npy_header(const MatrixFacts& facts);

/// Throws InputError as parse_npy_header() does, and for a file that is too short.
std::unique_ptr<MatrixReader> open_npy(const MatrixPlace& place);

}  // namespace foretile
