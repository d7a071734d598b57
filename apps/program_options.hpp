// SPDX-License-Identifier: BSD-3-Clause
// How a user says how a program is planned, in both programs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/options.hpp"
#include "planner/program/choose_plan.hpp"

namespace foretile {

struct ProgramOptions {
  std::string mode = {};                    ///< levels or flow; empty: not given, levels
  std::vector<std::string> on_demand = {};  ///< tensors of which slices are generated on demand
  std::string distribution = {};            ///< auto or round-robin; empty: not given, auto

  bool flows() const { return mode == "flow"; }
  /// --mode, --on-demand and --distribution, and whether they were given.
  GivenOptions given() const;
  /// For choose_plan(), which compares strategies by `seconds`.
  ProgramPlanOptions plan_options(const WorkSeconds& seconds) const;
};

/// `by_default`: what mode a command takes where none is named.
void add_program_options(CLI::App& command, ProgramOptions& options,
                         const std::string& by_default = "levels");

}  // namespace foretile
