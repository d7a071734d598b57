// SPDX-License-Identifier: BSD-3-Clause
// What it takes to bring matrices from the ranks on which they are to those where a plan wants them.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Where A, B and C are before a product, and C behind it.
struct GivenDistributions {
  ProcessGrid grid;
  Distribution a, b, c;

  const Distribution& of(Matrix matrix) const {
    return matrix == Matrix::a ? a : matrix == Matrix::b ? b : c;
  }
};

struct RedistributionCost {
  std::int64_t bytes = 0;                ///< that change ranks
  std::int64_t between_nodes_bytes = 0;  ///< of these, those that change nodes
  double seconds = 0;
};

/// Tiles that are given and that the plan wants on another rank travel before it begins, A, B
/// and the initial C together; C travels back behind it. Each of the two steps takes as long as the node that
/// sends or receives most needs at its port, or the messages inside the node that has most of them, what
/// takes longer.
RedistributionCost redistribution_cost(const Contraction& contraction, const Machine& machine,
                                       const GivenDistributions& given, const Plan& plan);

}  // namespace foretile
