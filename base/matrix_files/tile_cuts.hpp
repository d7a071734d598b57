// SPDX-License-Identifier: BSD-3-Clause
// Where the tiles of a matrix begin.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix_files/matrix_facts.hpp"

namespace foretile {

/// 0 and the sums of the first, the first two, ... sizes.
std::vector<std::int64_t> cuts_of(const std::vector<std::int64_t>& sizes);

/// The tile that has element `at`, which is below the last cut.
std::int32_t tile_at(const std::vector<std::int64_t>& cuts, std::int64_t at);

/// Of the stored tiles of a block-sparse matrix that are one behind the other, in elements, and the end.
std::vector<std::int64_t> gapless_offsets(const MatrixFacts& facts);

}  // namespace foretile
