// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the time of a program (planner/program).
#pragma once

#include "base/progress.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of any plan of the program with these tiles on the machine, in either mode, with any strategies,
/// distribution of blocks, split of sums and slices of intermediates. The larger of
///  - all products on all devices: a plan has each product of tiles of each term once, on one device. Blocks
///    that equal others by a symmetry are not computed and not counted. Where cores can multiply beside GPUs,
///    those of a rank count as one device more, with the speed of the product that suits them most;
///  - the longest chain of products that wait for each other, on as many devices as one likes: a product
///    begins when both blocks that it reads are whole, and a block is whole when each product that adds to it
///    is over. Pieces of a sum may run at once, so that only the last of its products counts.
/// Copies, messages, permutations and additions take no time in it: a plan could keep blocks on devices, and
/// what is sent depends on who has which block. Nor do launches, which could have any number of products.
Bound program_bound(const FusedProgram& program, const Machine& machine);

/// Of the joined plan of the program: plan_bound() of it, or program_bound() where that is larger.
/// plan_bound() counts products, copies, and messages of A and B, but neither permutations nor additions nor
/// messages of blocks and results.
Bounds bounds_of(const Plan& plan, const Contraction& contraction, const FusedProgram& program,
                 const Machine& machine, const CountFunction& progress = {});

}  // namespace foretile
