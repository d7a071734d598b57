// SPDX-License-Identifier: BSD-3-Clause
// Which rank computes each tile of C, where the tiles are many terms of a program or have very different
// work.
#pragma once

#include <vector>

#include "base/id.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/plan_context.hpp"

namespace foretile {

/// Flops of each tile of C. O(products).
std::vector<double> work_of_tiles(const Contraction& contraction);

/// By tile. Rows and columns that tiles of C connect belong together, as those of one term do; such a part
/// gets a grid p x q of its own: of those that have at least 95% of the places that a grid on these ranks can
/// have, the one with the least bytes of A and B to be sent. Its rows are distributed round-robin to p, in
/// the order of the tiles that they have, its columns to q; with PlanContext::neighbours in p and q runs of
/// about the same work. So each place has about the same work, and needs few tiles of A and B. The places of
/// the part with most work are given to ranks first, always the heaviest one left to the rank that has least.
/// In the end single tiles move from the rank with most work to the one with least while that is more than 5%
/// of the mean of this contraction above the mean. `load`: what each rank has to do before. A part that
/// shares the ranks with others (PlanContext::shares) gets as large a grid as its share of the ranks.
std::vector<Rank> distribute_tiles(const Contraction& contraction, const std::vector<double>& work,
                                   std::vector<double> load, const PlanContext& context = {});

/// Bytes of A and B that are sent where each part has a grid of so many ranks, and each rank that needs a
/// tile receives it.
double distributed_bytes(const Contraction& contraction, int ranks);

}  // namespace foretile
