// SPDX-License-Identifier: BSD-3-Clause
// Without SimGrid.
#include <fmt/format.h>

#include "apps/foretile/rehearsal.hpp"
#include "base/error.hpp"

namespace foretile {

void require_simulator(const char* command) {
  throw InputError(fmt::format(
      "{} is off: this foretile was built without SimGrid; install libsimgrid-dev and build again", command));
}

WorkSeconds rehearsed_seconds() {
  return {};
}

LevelSeconds rehearsed_level_seconds() {
  return {};
}

SimulationResult rehearse(const Plan&, const Contraction&, const Machine&, const SimulationOptions&) {
  throw WorkError("there is no simulator");
}

std::vector<LevelTimes> rehearse_program(std::span<const LevelPlan>, const Machine&,
                                         const SimulationOptions&) {
  throw WorkError("there is no simulator");
}

OriginalResult rehearse_original(const FusedProgram&, const Machine&, const OriginalOptions&) {
  throw WorkError("there is no simulator");
}

}  // namespace foretile
