// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix_files/matrix_facts.hpp"

namespace foretile {

struct MarketMatrix {
  std::int64_t rows = 0, columns = 0;
  bool is_complex = false;
  bool is_array = false;             ///< the array format: all elements are entries
  std::vector<MatrixEntry> entries;  ///< by column and then by row, both halves of a symmetric matrix
};

/// Reads the formats coordinate and array: real, integer, complex or pattern (of ones); general, symmetric,
/// skew-symmetric or hermitian. `source` is for messages. Throws InputError with the line, also for an
/// element that is given twice (in the file itself, or as the mirror of another).
MarketMatrix parse_matrix_market(std::string_view text, const std::string& source);

}  // namespace foretile
