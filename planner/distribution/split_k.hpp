// SPDX-License-Identifier: BSD-3-Clause
// Into how many pieces are the sums of a program's terms cut?
#pragma once

#include <vector>

#include "base/settings.hpp"
#include "planner/distribution/program_distribution.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

enum class SplitKRule {
  fastest,  ///< messages, products and additions take least time
  fewest,   ///< as few pieces as give most ranks something to do: memory for few tiles of C
};

/// By term: the number of pieces (ProgramDistribution::split_k). With r pieces each has a share of 1/r of
/// the ranks, so its grid is smaller, and a tile of A or B goes to fewer ranks; but there are r times as many
/// tiles of C to be sent and added. So the ranks are a grid p x q x r of the term, as in 2.5D algorithms
/// (Solomonik and Demmel, Euro-Par 2011). Where a term has fewer tiles of C than there are ranks, a scalar
/// above all, few ranks would receive all of A and B. Messages go at the rate of the nodes of those that
/// receive, additions at that of all cores (platforms/cost/addition.hpp). Where GPUs multiply, ranks multiply
/// piece after piece, and pieces of one tile of the result come to one rank, which adds them one by one. 1
/// where the strategy of the settings does not give single tiles of C to ranks, or they say how it sums.
/// `distribution`: strategies of terms.
std::vector<int> choose_split_k(const FusedProgram& program, const ProgramDistribution& distribution,
                                const Machine& machine, const Settings& settings, SplitKRule cut);

}  // namespace foretile
