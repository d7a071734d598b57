// SPDX-License-Identifier: BSD-3-Clause
// Timing products of tiles on all cores at once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element_type.hpp"
#include "base/precision.hpp"
#include "executor/calibration/fit.hpp"
#include "executor/calibration/measure.hpp"

namespace foretile {

/// What one core works on: memory for the tiles of A, of B and of C.
struct Workspace {
  std::vector<double> a, b, c;
};

/// For tiles of up to `largest` x `largest` doubles; `bytes_per_core` for A, B and C together, or more where
/// such tiles do not fit.
std::vector<Workspace> make_workspaces(int cores, std::int64_t bytes_per_core, std::int64_t largest);
/// Random numbers.
void fill(std::vector<Workspace>& spaces, Precision precision);

/// Products of one shape, seconds of each. A tile of A meets eight of B in a row, as in a chunk; tiles of B
/// and C change with every product, in turn through the workspace, or through its first `ring_bytes` of B and
/// as many of C where that is less; one tile at least.
Timing time_product(const Repetition& repetition, std::vector<Workspace>& spaces, ElementType element,
                    const KernelSample& shape, std::int64_t ring_bytes = INT64_MAX);

}  // namespace foretile
