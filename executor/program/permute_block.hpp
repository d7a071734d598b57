// SPDX-License-Identifier: BSD-3-Clause
// Blocks of tensors with their axes in another order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "executor/cpu/combine.hpp"
#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

/// to = beta to + factor from, axis p of `to` being axis order.from[p] of `from`; the sign of the order is
/// not looked at.
struct PermutedAddition {
  std::vector<std::int64_t> extents;  ///< of `to`
  AxisOrder order;
  double beta = 0, factor = 1;
  const double* from = nullptr;
  double* to = nullptr;

  void run(TileShare part = {}) const;
};

/// The same in so many parts, which may run at once.
std::vector<std::function<void()>> jobs_of(const PermutedAddition& whole, int parts);

/// Extents of a block with its axes in this order.
std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& from, const AxisOrder& order);

}  // namespace foretile
