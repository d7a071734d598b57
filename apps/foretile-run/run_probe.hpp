// SPDX-License-Identifier: BSD-3-Clause
// How fast the cores are beside a run, and what the plan would take at these rates.
#pragma once

#include <optional>
#include <vector>

#include "executor/calibration/probe.hpp"
#include "executor/mpi/session.hpp"
#include "planner/plan_work.hpp"

namespace foretile {

/// Products in flop/s, all cores of the nodes busy.
struct CoreRates {
  double mean = 0;                 ///< of one core; 0: not measured
  std::vector<double> of_devices;  ///< of the core of each device, in the order of Machine::device_speeds
};

struct Probes {
  double calibrated = 0;  ///< of one core, as the plan's platform has it; 0: not known
  CoreRates before;       ///< the run
  CoreRates after;

  bool known() const { return calibrated > 0 && before.mean > 0; }
  /// Of the calibrated rate, just before the run.
  double share() const { return before.mean / calibrated; }
  bool slow() const { return known() && share() < kSlowShare; }
};

/// Multiplies for a moment, as the calibration did. Nothing where the platform does not say what the
/// calibration found, or products are for GPUs. Collective.
CoreRates probe_cores(const PlannedWork& work, const MpiSession& session);

/// Where a time is, in seconds.
struct TimeInterval {
  double low_s = 0;
  double high_s = 0;
  int simulations = 0;  ///< with two it is from the shorter to the longer, else 90% are inside
};

/// Simulates the work again, half of the times with the cores' rates before the run, half with those after
/// it. Other noise is the platform's; without noise there are two simulations. Nothing where rates are not
/// known, or the plan has more than 100,000 products.
std::optional<TimeInterval> predict_again(const PlannedWork& work, const Probes& probes);

}  // namespace foretile
