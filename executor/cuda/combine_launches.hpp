// SPDX-License-Identifier: BSD-3-Clause
// Cuts additions of tiles into launches. Knows no CUDA.
#pragma once

#include <span>
#include <vector>

#include "executor/cuda/combine_work.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

/// In the order given; tiles without elements are left out. Throws InputError as tile_indices() does
/// (executor/tiles/tile_indices.hpp).
std::vector<CombineLaunch> combine_launches(std::span<const TileToCombine> tiles);

}  // namespace foretile
