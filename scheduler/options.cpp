#include "scheduler/options.hpp"

namespace foretile {

SchedulerOptions scheduler_options(const Plan& plan, const Machine& machine, int rank) {
  SchedulerOptions options;
  options.core_slots = machine.cores_per_rank();
  options.kernels_on_cores = machine.platform.device.kind == DeviceKind::core;
  options.zero_copy = options.kernels_on_cores;
  options.batch = plan.batch;
  options.whole_batches = plan.batch > 1;
  options.make_on_device = !options.kernels_on_cores && machine.platform.generation_bytes_per_s_on_device > 0;
  const Platform& p = machine.platform;
  options.copies = {p.runtime, p.links.host_to_device, p.links.peer};
  for (int d = 0; d < machine.devices_per_rank; ++d) options.sockets.push_back(machine.socket_of(rank, d));
  return options;
}

}  // namespace foretile
