// SPDX-License-Identifier: BSD-3-Clause
// Which terms are computed where their results are kept?
#pragma once

#include <vector>

#include "base/settings.hpp"
#include "planner/distribution/program_distribution.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// By term: whether each tile of C could be computed by the rank that has the block to which it is added. The
/// term alone writes its result, an intermediate that products read; its sums are not cut; each tile of C is
/// added once; and its strategy gives single tiles of C to ranks.
std::vector<bool> may_be_at_owners(const FusedProgram& program, const ProgramDistribution& distribution,
                                   const Settings& settings);

/// Of these (ProgramDistribution::at_owners) the terms for which less is sent, with the owners of
/// `distribution`: no tile of C, but A and B to the owners. No rank may have much more work than others.
std::vector<bool> worth_being_at_owners(const FusedProgram& program, const ProgramDistribution& distribution,
                                        const Machine& machine, const Settings& settings);

}  // namespace foretile
