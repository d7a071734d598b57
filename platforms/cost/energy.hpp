// SPDX-License-Identifier: BSD-3-Clause
// Joules of a job, from the watts of its nodes and devices.
#pragma once

#include "platforms/machine.hpp"

namespace foretile {

/// What a job did with its nodes. All of them count from its begin to its end, with all their devices.
struct EnergyUse {
  double seconds = 0;        ///< from begin to end
  double busy_core_s = 0;    ///< core-seconds of work on all nodes
  double busy_device_s = 0;  ///< device-seconds of products on all GPUs
};

/// Watts of the job's nodes and GPUs while nothing computes; 0 where power is not known (Power::known).
double idle_watts(const Machine& machine);

/// Joules beyond idle_watts() x seconds that busy cores and GPUs take:
///   max(busy core seconds / cores of a node, busy device seconds / GPUs of a node) x (node_busy - node_idle)
///   + busy device seconds x (device_busy - device_idle).
/// So with all its GPUs busy a node takes what it takes in HPL, from which node_busy comes where GPUs
/// multiply. Cores and devices are busy all the time at most. On platforms without GPUs `busy_device_s` is
/// not used.
double busy_joules(const Machine& machine, const EnergyUse& use);

/// All of it: increasing in each figure of `use`.
inline double joules_of(const Machine& machine, const EnergyUse& use) {
  return idle_watts(machine) * use.seconds + busy_joules(machine, use);
}

/// Of a job whose products take so many device-seconds at least, on GPUs, or on cores where these are the
/// devices: what it uses at least in `seconds`.
EnergyUse least_use(const Machine& machine, double seconds, double products_s);

}  // namespace foretile
