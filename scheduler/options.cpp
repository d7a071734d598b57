#include "scheduler/options.hpp"

namespace foretile {

SchedulerOptions scheduler_options(const Machine& machine, int rank) {
  SchedulerOptions options;
  options.core_slots = machine.cores_per_rank();
  options.kernels_on_cores = machine.platform.device.kind == DeviceKind::core;
  options.zero_copy = options.kernels_on_cores;
  for (int d = 0; d < machine.devices_per_rank; ++d) options.sockets.push_back(machine.socket_of(rank, d));
  return options;
}

}  // namespace foretile
