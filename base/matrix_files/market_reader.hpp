// SPDX-License-Identifier: BSD-3-Clause
// A matrix of a Matrix Market file, kept in memory.
#pragma once

#include <memory>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// Reads the whole file: 32 bytes of memory for an element. Throws InputError as parse_matrix_market() does.
std::unique_ptr<MatrixReader> open_matrix_market(const MatrixPlace& place);

}  // namespace foretile
