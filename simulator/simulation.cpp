#include "simulator/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <simgrid/s4u.hpp>

#include "base/error.hpp"
#include "platforms/checks.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_model.hpp"
#include "simulator/simulated_rank.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

void check_machine(const Plan& plan, const Machine& machine) {
  std::size_t devices = 0;
  for (const RankPlan& rank : plan.ranks) devices = std::max(devices, rank.devices.size());
  if (plan.ranks.size() <= static_cast<std::size_t>(machine.ranks) &&
      devices <= static_cast<std::size_t>(machine.devices_per_rank))
    return;
  throw input_error("simulation",
                    fmt::format("a plan for {} ranks with {} devices", plan.ranks.size(), devices),
                    fmt::format("at most {} ranks with {} devices", machine.ranks, machine.devices_per_rank),
                    "plan for this machine");
}

/// SimGrid takes some kilobytes for each host and its links.
void check_size(const Machine& machine) {
  constexpr int kMostHosts = 8000;
  const std::int64_t hosts = MachineModel::hosts(machine);
  if (hosts <= kMostHosts) return;
  throw input_error(
      "simulation", fmt::format("{} ranks with {} devices", machine.ranks, machine.devices_per_rank),
      fmt::format("at most {} sockets, ranks and devices together", kMostHosts), "rehearse on fewer nodes");
}

void check_files(const Plan& plan, const Platform& platform) {
  if (plan.operands.b.source != Source::in_file || platform.file_bytes_per_s_per_node > 0) return;
  throw input_error("platform.file.bandwidth", "no figure",
                    "how fast a node reads the file of the windowed matrix",
                    "measure it with `foretile show MATRIX --speed TILE` and set it: --set "
                    "platform.file.bandwidth=1.5GB/s");
}

using Schedulers = std::vector<std::unique_ptr<RankScheduler>>;

struct TimeIsOver {};

bool all_finished(const Schedulers& schedulers) {
  return std::all_of(schedulers.begin(), schedulers.end(),
                     [](const auto& scheduler) { return scheduler->finished(); });
}

/// SimGrid would print a backtrace for each activity in flight that is freed.
void leave_in_flight(std::vector<std::unique_ptr<SimulatedRank>>& backends) {
  for (auto& backend : backends) static_cast<void>(backend.release());
}

}  // namespace

SimulationResult simulate(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options) {
  check_machine(plan, machine);
  check_size(machine);
  check_files(plan, machine.platform);
  require_runnable(contraction);
  check_precision(machine.platform, contraction.precision);
  const auto engine = make_engine();
  const MachineModel model(*engine, machine);
  const TileOrigins origins(contraction, plan);
  std::vector<std::unique_ptr<SimulatedRank>> backends;
  Schedulers schedulers;
  for (Rank rank = 0; rank < static_cast<int>(plan.ranks.size()); ++rank) {
    backends.push_back(std::make_unique<SimulatedRank>(rank, machine, model, contraction, plan.batch, origins,
                                                       backends, options.noise_seed));
    SchedulerOptions scheduling = scheduler_options(plan, contraction, machine, rank, options.in_plan_order);
    for (DeviceTraits& device : scheduling.devices) {
      if (options.batch <= device.batch) continue;
      device.batch = options.batch;
      scheduling.whole_batches = false;
    }
    schedulers.push_back(std::make_unique<RankScheduler>(plan, plan.ranks[rank], contraction, rank,
                                                         *backends.back(), scheduling, options.trace));
    backends.back()->attach(*schedulers.back());
  }
  sg4::ActivityPtr ending;  // SimGrid still looks at an activity after its completion callback
  sg4::Activity::on_completion_cb([&](const sg4::Activity& ended) {
    // A timer, or Engine::run_until(), would change the last bits of all times.
    if (sg4::Engine::get_clock() > options.stop_s && !all_finished(schedulers)) throw TimeIsOver();
    Activity& activity = *ended.get_data<Activity>();
    ending = std::move(activity.simgrid);
    activity.rank->ended(activity);
  });
  try {
    for (const auto& scheduler : schedulers) scheduler->start();
    for (const auto& backend : backends) backend->poll();
    engine->run();
  } catch (const TimeIsOver&) {
    leave_in_flight(backends);
    return {.stopped = true, .makespan_s = 0, .ranks = {}};
  } catch (...) {
    leave_in_flight(backends);
    throw;
  }

  SimulationResult result;
  for (std::size_t rank = 0; rank < schedulers.size(); ++rank) {
    if (!schedulers[rank]->finished()) throw WorkError(fmt::format("simulation: rank {} stalled", rank));
    result.ranks.push_back(schedulers[rank]->statistics());
    result.makespan_s = std::max(result.makespan_s, result.ranks.back().finish_s);
  }
  RankStatistics idle;
  idle.devices.resize(machine.devices_per_rank);
  result.ranks.resize(machine.ranks, idle);
  return result;
}

}  // namespace foretile
