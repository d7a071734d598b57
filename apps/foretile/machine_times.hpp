// SPDX-License-Identifier: BSD-3-Clause
// What a problem takes on machines of several sizes: table, JSON, CSV and picture.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace foretile {

/// The fastest plan that was found on one machine with so many nodes.
struct MachineTime {
  std::string platform;
  int nodes = 1;
  std::optional<double> makespan_s = {};  ///< nothing: `message` says why
  std::optional<double> joules = {};      ///< where the platform's power is known
  bool energy_is_guess = false;
  double bound_s = 0;        ///< of any plan
  std::string limit = {};    ///< what limits it
  Settings parameters = {};  ///< of the plan
  bool coarse = false;       ///< the time is of a coarse simulation
  std::uint64_t tried = 0,
                candidates = 0;  ///< plans that were simulated or excluded, of so many; 0: not known
  bool cut = false;              ///< the search ended before all were tried
  std::string message = {};

  double node_hours() const { return makespan_s ? nodes * *makespan_s / 3600 : 0; }
  /// How much longer than the bound, as a share of it; nothing where there is no time or bound.
  std::optional<double> over_bound() const;
};

/// A line for each time; then what limits it and its settings.
std::string text_of(const std::vector<MachineTime>& times);
nlohmann::ordered_json json_of(const std::vector<MachineTime>& times);
/// A head and a line for each time; texts are quoted (RFC 4180).
std::string csv_of(const std::vector<MachineTime>& times);

/// A line for each machine: time against nodes, both logarithmic. `title` is above it. Throws InputError
/// unless the name of `path` ends in .svg or .png and this build can draw, and where it cannot be written.
void draw_times(const std::vector<MachineTime>& times, const std::string& title, const std::string& path);

}  // namespace foretile
