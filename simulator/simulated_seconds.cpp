// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulated_seconds.hpp"

#include <algorithm>
#include <limits>

#include "planner/plan/devices.hpp"

namespace foretile {

namespace {

CoarseGroups groups_of(const PlanSummary& summary, std::int64_t devices) {
  constexpr std::int64_t kOfChunk = 8;
  constexpr std::int64_t kMost = 4096;
  constexpr std::int64_t kOfDevice = 256;
  // Times change by 0.1% (4,736 dies of Frontier) and 0.4% (512 GPUs of DGX H100), docs/results/machines.md.
  constexpr std::int64_t kManyDevices = 256;
  constexpr int kReachOfMany = 1;
  const std::int64_t of_chunks = std::max<std::int64_t>(1, kOfChunk * summary.chunks);
  return {static_cast<int>(std::clamp<std::int64_t>(summary.gemms / of_chunks, 1, kMost)),
          summary.h2d_bytes / std::max(of_chunks, kOfDevice * devices),
          devices > kManyDevices ? kReachOfMany : 0};
}

CoarseGroups choosing_groups(const Plan& plan, const PlanSummary& summary, const Contraction& contraction,
                             const Machine& machine) {
  constexpr std::int64_t kGeneratedForDevice = 768;
  constexpr std::int64_t kMostGenerated = 256;
  const std::int64_t devices = devices_of(plan, machine);
  CoarseGroups groups = groups_of(summary, devices);
  if (plan.operands.b.generated())
    groups.generated_tiles = static_cast<int>(
        std::min(contraction.b.nonzeros() / (kGeneratedForDevice * devices), kMostGenerated));
  return groups;
}

}  // namespace

CoarseGroups coarse_groups(const PlannedWork& work) {
  return groups_of(work.summary, devices_of(work.plan, work.machine));
}

std::int64_t operations_of(const PlannedWork& work) {
  std::int64_t operations = work.summary.gemms;
  for (const RankPlan& rank : work.plan.ranks) {
    operations += std::ssize(rank.flow.results);
    for (const Transfer& transfer : rank.transfers) operations += std::ssize(transfer.others);
  }
  return operations;
}

WorkSeconds simulated_seconds() {
  return [](const Plan& plan, const PlanSummary& summary, const Contraction& contraction,
            const Machine& machine, double stop_s) {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;
    options.groups = choosing_groups(plan, summary, contraction, machine);
    options.stop_s = stop_s;
    const SimulationResult result = simulate(plan, contraction, machine, options);
    return result.stopped ? std::numeric_limits<double>::infinity() : result.makespan_s;
  };
}

}  // namespace foretile
