// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/energy.hpp"

#include <algorithm>

namespace foretile {

namespace {

bool multiplies_on_gpus(const Machine& machine) {
  return machine.platform.device.kind == DeviceKind::gpu;
}

double gpus_of(const Machine& machine) {
  return multiplies_on_gpus(machine) ? 1.0 * machine.nodes() * machine.platform.devices_per_node() : 0;
}

}  // namespace

double idle_watts(const Machine& machine) {
  const Power& power = machine.platform.power;
  if (!power.known()) return 0;
  return machine.nodes() * power.node_idle_w + gpus_of(machine) * power.device_idle_w;
}

double busy_joules(const Machine& machine, const EnergyUse& use) {
  const Power& power = machine.platform.power;
  if (!power.known()) return 0;
  const double device_s = std::min(use.busy_device_s, gpus_of(machine) * use.seconds);
  const double of_cores_s = use.busy_core_s / machine.platform.cores_per_node();
  const double of_devices_s = device_s / machine.platform.devices_per_node();
  const double node_s = std::min(std::max(of_cores_s, of_devices_s), machine.nodes() * use.seconds);
  return node_s * (power.node_busy_w - power.node_idle_w) +
         device_s * (power.device_busy_w - power.device_idle_w);
}

EnergyUse least_use(const Machine& machine, double seconds, double products_s) {
  EnergyUse use{seconds, 0, 0};
  (multiplies_on_gpus(machine) ? use.busy_device_s : use.busy_core_s) = products_s;
  return use;
}

}  // namespace foretile
