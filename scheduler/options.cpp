// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/options.hpp"

#include <algorithm>

namespace foretile {

namespace {

constexpr double kMostAtOnce = 256;
constexpr std::int64_t kNoParts = std::int64_t{1} << 62;

double mean_tile(const Tiling& tiling) {
  return static_cast<double>(tiling.extent()) / std::max(1, tiling.tiles());
}

}  // namespace

int products_at_once(const Contraction& contraction, int cores) {
  constexpr double flops = 4e6;
  const double product = 2 * mean_tile(contraction.m) * mean_tile(contraction.n) * mean_tile(contraction.k);
  return static_cast<int>(std::clamp(cores * flops / product, 1.0, kMostAtOnce));
}

int tiles_at_once(const Contraction& contraction) {
  constexpr double bytes = 5e5;
  const double tile =
      static_cast<double>(contraction.element_bytes()) * mean_tile(contraction.k) * mean_tile(contraction.n);
  return static_cast<int>(std::clamp(bytes / tile, 1.0, kMostAtOnce));
}

SchedulerOptions scheduler_options(const PlanFrame& frame, const RankPlan& plan,
                                   const Contraction& contraction, const Machine& machine, Rank rank,
                                   bool in_plan_order) {
  SchedulerOptions options;
  const Platform& p = machine.platform;
  const bool read = frame.operands.b.source == Source::in_file;
  options.core_slots = machine.cores_per_rank();
  options.most_parts = p.cores_of_tile(options.core_slots);
  options.ranks_per_node = machine.counted_ranks_per_node();
  options.whole_batches = frame.batch > 1;
  options.send_slots = frame.sends_in_flight;
  options.messages_on_devices = frame.messages_on_devices();
  options.in_plan_order = in_plan_order;
  if (p.device.kind == DeviceKind::core) options.tiles_at_once = tiles_at_once(contraction);
  if (read) options.least_part_bytes = kNoParts;
  options.copies = {p.runtime, p.links.host_to_device, p.links.peer};
  for (const DevicePlan& device : plan.devices) {
    const DeviceClass& of = frame.class_of(device);
    DeviceTraits traits;
    traits.in_host_memory = of.in_host_memory();
    traits.cores = of.kind == DeviceKind::core ? of.cores : 0;
    traits.generates_tiles = !traits.in_host_memory && GenerationTimes(machine, read).on_device();
    traits.batch = frame.batch;
    if (of.kind == DeviceKind::core && frame.batch == 1 && !in_plan_order)
      traits.batch = products_at_once(contraction, of.cores);
    traits.socket = machine.socket_of(rank, Device::of(std::ssize(options.devices)));
    if (of.kind == DeviceKind::core && p.device.kind == DeviceKind::gpu)
      options.core_slots = std::max(1, machine.cores_beside_gpus());
    options.devices.push_back(traits);
  }
  return options;
}

}  // namespace foretile
