// SPDX-License-Identifier: BSD-3-Clause
// Whether an output would replace something.
#pragma once

#include "base/matrix_files/matrix_place.hpp"

namespace foretile {

/// Whether writing `output` would replace the matrix `input` or a part of it, whatever the two are called:
/// links of the file system and of HDF5 are followed.
bool would_replace(const MatrixPlace& output, const MatrixPlace& input);

/// Whether an HDF5 file has something of this name already. False for other formats.
bool is_taken(const MatrixPlace& output);

}  // namespace foretile
