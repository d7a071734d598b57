// SPDX-License-Identifier: BSD-3-Clause
// The grid on which CTF multiplies matrices, as its source chooses it.
#pragma once

#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of all ranks of the machine. CTF (github.com/cyclops-community/ctf, e40c5f34) estimates what broadcasts,
/// sums and redistribution take on each way to write the number of ranks as two or three axes
/// (src/contraction/contraction.cxx, get_best_sel_map). Its coefficients are those of the "Node-aware grids"
/// paper's first author (github.com/airmler/ctf, 31a1dee9 and bacd66ba: src/shared/init_models*.cxx). Padding
/// counts where a matrix gets its axes, not in the estimate.
ProcessGrid ctf_grid(const Contraction& contraction, const Machine& machine);

}  // namespace foretile
