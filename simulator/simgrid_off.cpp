// SPDX-License-Identifier: BSD-3-Clause
// In builds without SimGrid.
#include "base/error.hpp"
#include "simulator/simgrid.hpp"

namespace foretile {

bool has_simgrid() {
  return false;
}

bool fits_simgrid(const Machine&) {
  return false;
}

bool simgrid_is_used() {
  return false;
}

std::unique_ptr<Engine> make_simgrid_engine(const Machine&, const MachineLinks&) {
  throw input_error("simulation", "the engine simgrid", "fluid, as this foretile was built without SimGrid",
                    "take that, or install libsimgrid-dev and build again");
}

}  // namespace foretile
