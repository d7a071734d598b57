// SPDX-License-Identifier: BSD-3-Clause
// The engine of another library that simulate() may take: SimGrid (simulator/simgrid/simgrid.hpp).
#pragma once

#include <memory>

#include "platforms/machine.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

struct ReferenceEngine {
  bool (*fits)(const Machine& machine);  ///< whether it can have the machine
  bool (*is_used)();                     ///< whether this process has had its one simulation with it
  /// Throws InputError for a second one, and for machines beyond its limit. `machine` and `links` must
  /// outlive the engine.
  std::unique_ptr<Engine> (*make)(const Machine& machine, const MachineLinks& links);
};

/// Before any thread simulates.
void set_reference_engine(const ReferenceEngine& engine);

/// nullptr where none was set: the fluid engine then simulates alone.
const ReferenceEngine* reference_engine();

}  // namespace foretile
