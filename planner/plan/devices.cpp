// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/devices.hpp"

#include <algorithm>

namespace foretile {

std::vector<int> classes_of_devices(const PlanFrame& frame, const Machine& machine) {
  std::vector<int> classes;
  for (std::size_t c = 0; c < frame.device_classes.size(); ++c) {
    const bool like_platform = frame.device_classes[c].kind == machine.platform.device.kind;
    classes.insert(classes.end(), static_cast<std::size_t>(like_platform ? machine.devices_per_rank : 1),
                   static_cast<int>(c));
  }
  return classes;
}

int cores_beside(const PlanFrame& frame, const Machine& machine) {
  if (machine.platform.device.kind == DeviceKind::core) return 0;
  int cores = 0;
  for (const DeviceClass& alike : frame.device_classes) {
    if (alike.kind == DeviceKind::core) cores = std::max(cores, alike.cores);
  }
  return cores;
}

}  // namespace foretile
