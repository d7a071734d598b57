// SPDX-License-Identifier: BSD-3-Clause
// The SimGrid engine, an optional part.
#pragma once

#include <memory>

#include "platforms/machine.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

/// Whether this build has it. Without it the fluid engine solves the same model.
bool has_simgrid();

/// Whether SimGrid can have the machine.
bool fits_simgrid(const Machine& machine);

/// Whether this process has had its one simulation with SimGrid.
bool simgrid_is_used();

/// SimGrid has one engine per process: throws InputError for a second one, for machines beyond its limit, and
/// in builds without it. `machine` and `links` must outlive it.
std::unique_ptr<Engine> make_simgrid_engine(const Machine& machine, const MachineLinks& links);

}  // namespace foretile
