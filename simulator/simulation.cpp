// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "platforms/checks.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_links.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simulated_rank.hpp"

namespace foretile {

namespace {

/// Whether a rank of the machine has such a device.
bool has(const Machine& machine, const DeviceClass& alike, Precision precision) {
  const Platform& p = machine.platform;
  if (alike.kind == p.device.kind) return true;
  return alike.kind == DeviceKind::core && p.core.kernel_for(precision).known() &&
         alike.cores <= machine.cores_beside_gpus();
}

void check_machine(const Plan& plan, const Machine& machine, Precision precision) {
  for (const DeviceClass& alike : plan.device_classes) {
    if (has(machine, alike, precision)) continue;
    const bool gpu = alike.kind == DeviceKind::gpu;
    throw input_error("simulation",
                      gpu ? "a plan for GPUs"
                          : fmt::format("a plan in which {} cores of a rank share products", alike.cores),
                      gpu ? fmt::format("one for cores, as {} has", machine.platform.name)
                          : fmt::format("at most {}, with a kernel curve of such cores in {}",
                                        machine.cores_beside_gpus(), machine.platform.name),
                      "plan for this machine");
  }
  std::size_t devices = 0;
  for (const RankPlan& rank : plan.ranks) {
    const auto alike = std::ranges::count_if(rank.devices, [&](const DevicePlan& device) {
      return plan.class_of(device).kind == machine.platform.device.kind;
    });
    devices = std::max(devices, static_cast<std::size_t>(alike));
  }
  if (plan.ranks.size() <= static_cast<std::size_t>(machine.ranks) &&
      devices <= static_cast<std::size_t>(machine.devices_per_rank))
    return;
  throw input_error("simulation",
                    fmt::format("a plan for {} ranks with {} devices", plan.ranks.size(), devices),
                    fmt::format("at most {} ranks with {} devices", machine.ranks, machine.devices_per_rank),
                    "plan for this machine");
}

void check_files(const Plan& plan, const Platform& platform) {
  if (plan.operands.b.source != Source::in_file || platform.file_bytes_per_s_per_node > 0) return;
  throw input_error("platform.file.bandwidth", "no figure",
                    "how fast a node reads the file of the windowed matrix",
                    "measure it with `foretile show MATRIX --speed TILE` and set "
                    "platform.file.bandwidth=1.5GB/s");
}

constexpr std::int64_t kWholeTiles = std::numeric_limits<std::int64_t>::max();

using Schedulers = std::vector<std::unique_ptr<RankScheduler>>;

bool all_finished(const Schedulers& schedulers) {
  return std::all_of(schedulers.begin(), schedulers.end(),
                     [](const auto& scheduler) { return scheduler->finished(); });
}

EngineChoice chosen(EngineChoice wanted, const Machine& machine) {
  if (wanted != EngineChoice::automatic) return wanted;
  const ReferenceEngine* const reference = reference_engine();
  const bool can_be = reference && reference->fits(machine) && !reference->is_used();
  return can_be ? EngineChoice::simgrid : EngineChoice::fluid;
}

std::unique_ptr<Engine> make_engine(EngineChoice choice, const Machine& machine, const MachineLinks& links,
                                    int reach) {
  if (choice == EngineChoice::fluid) return make_fluid_engine(links, reach);
  if (const ReferenceEngine* const reference = reference_engine()) return reference->make(machine, links);
  throw input_error("simulation", "the engine simgrid", "fluid, as this program has no SimGrid",
                    "take that, or install libsimgrid-dev, build foretile again, link foretile::simgrid "
                    "and call use_simgrid()");
}

}  // namespace

SimulationResult simulate(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options) {
  check_machine(plan, machine, contraction.precision);
  check_files(plan, machine.platform);
  require_runnable(contraction);
  check_precision(machine.platform, contraction.precision);
  const MachineLinks links(machine, options.noise_seed);
  SimulationResult result;
  result.engine = chosen(options.engine, machine);
  const std::unique_ptr<Engine> engine = make_engine(result.engine, machine, links, options.groups.reach);
  const TileOrigins origins(contraction, plan);
  std::int64_t done = 0;
  ProgressSink products([&done](std::int64_t products_done) { done = products_done; }, 1, options.trace);
  const bool counts = options.stop_products < std::numeric_limits<std::int64_t>::max();
  TraceSink* const sink = counts ? &products : options.trace;
  std::vector<std::unique_ptr<SimulatedRank>> backends;
  Schedulers schedulers;
  for (Rank rank = 0; rank < static_cast<int>(plan.ranks.size()); ++rank) {
    const RankPlan& of_rank = plan.ranks[static_cast<std::size_t>(rank)];
    backends.push_back(std::make_unique<SimulatedRank>(rank, plan, of_rank, machine, *engine, links,
                                                       contraction, origins, backends, options.noise_seed));
    SchedulerOptions scheduling =
        scheduler_options(plan, of_rank, contraction, machine, rank, options.in_plan_order);
    scheduling.copy_batch_bytes = options.groups.copy_bytes;
    if (options.groups.generated_tiles > 0) {
      scheduling.tiles_at_once = std::max(scheduling.tiles_at_once, options.groups.generated_tiles);
      scheduling.least_part_bytes = kWholeTiles;
    }
    for (DeviceTraits& device : scheduling.devices) {
      if (options.groups.products <= device.batch) continue;
      device.batch = options.groups.products;
      scheduling.whole_batches = false;
    }
    schedulers.push_back(std::make_unique<RankScheduler>(plan, of_rank, contraction, rank, *backends.back(),
                                                         scheduling, sink));
    backends.back()->attach(*schedulers.back());
  }
  for (const auto& scheduler : schedulers) scheduler->start();
  for (const auto& backend : backends) backend->poll();
  bool stopped = false;
  engine->run([&] {
    const bool enough = engine->now() > options.stop_s || done >= options.stop_products;
    return stopped = enough && !all_finished(schedulers);
  });
  result.stopped = stopped;
  if (stopped) return result;

  for (std::size_t rank = 0; rank < schedulers.size(); ++rank) {
    if (!schedulers[rank]->finished()) throw WorkError(fmt::format("simulation: rank {} stalled", rank));
    result.ranks.push_back(schedulers[rank]->statistics());
    result.assignment.push_back(schedulers[rank]->assignment());
    result.makespan_s = std::max(result.makespan_s, result.ranks.back().finish_s);
  }
  RankStatistics idle;
  idle.devices.resize(machine.devices_per_rank);
  result.ranks.resize(machine.ranks, idle);
  return result;
}

}  // namespace foretile
