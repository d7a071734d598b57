// SPDX-License-Identifier: BSD-3-Clause
// The devices of a rank in a plan's frame.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of each device of a rank that has work, those of the platform's kind first: its class in the frame.
std::vector<int> classes_of_devices(const PlanFrame& frame, const Machine& machine);

/// Of all ranks of the machine.
inline std::int64_t devices_of(const PlanFrame& frame, const Machine& machine) {
  return machine.ranks * static_cast<std::int64_t>(classes_of_devices(frame, machine).size());
}

/// Cores of a rank that multiply as one device beside GPUs, or in their place; 0: none.
int cores_beside(const PlanFrame& frame, const Machine& machine);

}  // namespace foretile
