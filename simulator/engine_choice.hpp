// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What solves a simulation.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

/// Which solver simulates.
enum class EngineChoice : std::uint8_t {
  automatic,  ///< SimGrid in a process's first simulation, where the program has it and it fits the machine
  simgrid,    ///< the reference
  fluid       ///< foretile's own solver of the same model
};

/// As in options: "auto", "simgrid" or "fluid".
constexpr std::string_view name_of(EngineChoice engine) {
  switch (engine) {
    case EngineChoice::automatic:
      return "auto";
    case EngineChoice::simgrid:
      return "simgrid";
    case EngineChoice::fluid:
      return "fluid";
  }
  return "unknown";
}

}  // namespace foretile
