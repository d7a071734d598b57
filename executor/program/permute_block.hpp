// SPDX-License-Identifier: BSD-3-Clause
// Blocks of tensors with their axes in another order.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

/// to = beta to + factor from, axis p of `to` being axis order.from[p] of `from`. `extents` are those of
/// `to`; the sign of the order is not looked at.
void add_permuted(const std::vector<std::int64_t>& extents, const AxisOrder& order, double beta,
                  double factor, const double* from, double* to);

/// Extents of a block with its axes in this order.
std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& from, const AxisOrder& order);

}  // namespace foretile
