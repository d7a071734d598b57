// SPDX-License-Identifier: BSD-3-Clause
// What foretile tune takes, simulated by both engines: the search has the fluid one, SimGrid is the
// reference.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan_file.hpp"
#include "simulator/engine_choice.hpp"

namespace foretile {

/// Makespans of one plan.
struct EngineTimes {
  std::optional<double> fluid_s = {};
  std::optional<double> simgrid_s = {};
  std::string left_out = {};  ///< why there is none of SimGrid; empty where it was not asked for
};

/// The engine that searches: the one that the user names, else the fluid one.
EngineChoice searching_engine(EngineChoice asked);

/// As simulate() gives it with seed `noise_seed`, the sum of all works, each in a process of its own.
/// `left_out` says why there is none: not built, too large a machine, more than `limit_s`, or because `stop`
/// said so.
EngineTimes by_simgrid(const std::vector<const PlannedWork*>& works, std::uint64_t noise_seed, double limit_s,
                       const std::function<bool()>& stop = {});

/// So many seconds are enough for what is only compared.
inline constexpr double kMostSimgridSeconds = 60;

/// "fluid 10.84 s, simgrid 10.83 s (0.16% less)".
std::string engine_times_text(const EngineTimes& times);

/// `engines`, the makespans by their names, and `simgrid_left_out`.
void add_engine_times(nlohmann::ordered_json& json, const EngineTimes& times);

}  // namespace foretile
