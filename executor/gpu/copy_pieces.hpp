// SPDX-License-Identifier: BSD-3-Clause
// Copies of neighbouring tiles as one.
#pragma once

#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Appends a piece, or makes it part of the last one: where both tiles follow without a gap, and,
/// `with_gaps`, where pieces of one size follow at equal steps on either side, as tiles of odd size do. CUDA
/// copies such rows in one go between host and device, but says nothing of two devices.
void add_piece(std::vector<CopyPiece>& pieces, const CopyPiece& piece, bool with_gaps);

}  // namespace foretile
