// Products that may run at the same time.
#pragma once

#include <span>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Splits products into successive waves in which no C occurs twice: the n-th product on a tile of C is in
/// wave n, so each tile keeps its order. One wave is the usual case.
std::vector<std::vector<TileProduct>> waves_of(std::span<const TileProduct> products);

}  // namespace foretile
