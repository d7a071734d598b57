// SPDX-License-Identifier: BSD-3-Clause
// Which devices of a rank multiply: its GPUs, its cores, or both.
#pragma once

#include <vector>

#include "base/settings.hpp"
#include "planner/plan/devices.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/parameter.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// sharing. All cores of a rank that serve no GPU are one device, behind its GPUs.
ParameterInfo sharing_parameter();

/// Cores of a rank that multiply together, beside its GPUs or alone; 0: none, or the platform's devices are
/// cores. Throws InputError where they cannot: no figures for them, none left beside the GPUs.
int cores_sharing(const Contraction& contraction, const Machine& machine, const Settings& settings);

/// Gives the frame of common_frame() the class of the cores, and with sharing=dynamic an open pool. Cores
/// work on tiles where these are in host memory, which the verifier counts there; their blocks are cut for a
/// GPU's memory, so that what fits GPUs fits them.
void share_with_cores(PlanFrame& frame, const Contraction& contraction, const Machine& machine,
                      const Settings& settings);

/// Of classes_of_devices(): flop/s with products of the mean tile, of GPUs no more than what loading each
/// tile of B once allows. By these the products are distributed.
std::vector<double> device_speeds(const PlanFrame& frame, const std::vector<int>& classes,
                                  const Contraction& contraction, const Machine& machine);

}  // namespace foretile
