#include "simulator/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <simgrid/s4u.hpp>

#include "base/error.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "simulator/machine_model.hpp"
#include "simulator/simulated_rank.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

/// CM02 is the plain fluid model. The factors undo what SimGrid adds for TCP over the internet (its default
/// LV08 multiplies latency by 13.01 and bandwidth by 0.97).
std::unique_ptr<sg4::Engine> make_engine() {
  static std::array<std::string, 10> words{"foretile",
                                           "--log=xbt_cfg.thresh:warning",
                                           "--cfg=network/model:CM02",
                                           "--cfg=network/TCP-gamma:0",
                                           "--cfg=network/crosstraffic:0",
                                           "--cfg=network/latency-factor:1",
                                           "--cfg=network/bandwidth-factor:1",
                                           "--cfg=network/weight-S:0",
                                           "--cfg=surf/precision:1e-9",
                                           "--cfg=maxmin/precision:1e-5"};
  std::array<char*, words.size() + 1> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  int count = static_cast<int>(words.size());
  return std::make_unique<sg4::Engine>(&count, arguments.data());
}

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

/// SimGrid keeps a route for every pair of hosts: 8 bytes each, and more for those in use.
void check_size(const Machine& machine) {
  constexpr int kMostHosts = 8000;
  const std::int64_t hosts =
      machine.nodes() + static_cast<std::int64_t>(machine.ranks) * (1 + machine.devices_per_rank);
  if (hosts <= kMostHosts) return;
  throw input_error(
      "simulation", fmt::format("{} ranks with {} devices", machine.ranks, machine.devices_per_rank),
      fmt::format("at most {} nodes, ranks and devices together", kMostHosts), "rehearse on fewer nodes");
}

}  // namespace

SimulationResult simulate(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options) {
  check_machine(plan, machine);
  check_size(machine);
  const auto engine = make_engine();
  const MachineModel model(*engine, machine);
  std::vector<std::unique_ptr<SimulatedRank>> backends;
  std::vector<std::unique_ptr<RankScheduler>> schedulers;
  for (int rank = 0; rank < static_cast<int>(plan.ranks.size()); ++rank) {
    backends.push_back(
        std::make_unique<SimulatedRank>(rank, machine, model, contraction, backends, options.noise_seed));
    schedulers.push_back(std::make_unique<RankScheduler>(plan, plan.ranks[rank], contraction, rank,
                                                         *backends.back(), scheduler_options(machine, rank),
                                                         options.trace));
    backends.back()->attach(*schedulers.back());
  }
  sg4::ActivityPtr ending;  // SimGrid still looks at an activity after its completion callback
  sg4::Activity::on_completion_cb([&ending](const sg4::Activity& ended) {
    Activity& activity = *ended.get_data<Activity>();
    ending = std::move(activity.simgrid);
    activity.rank->ended(activity);
  });
  for (const auto& scheduler : schedulers) scheduler->start();
  engine->run();

  SimulationResult result;
  for (std::size_t rank = 0; rank < schedulers.size(); ++rank) {
    if (!schedulers[rank]->finished()) throw WorkError(fmt::format("simulation: rank {} stalled", rank));
    result.ranks.push_back(schedulers[rank]->statistics());
    result.makespan_s = std::max(result.makespan_s, result.ranks.back().finish_s);
  }
  return result;
}

}  // namespace foretile
