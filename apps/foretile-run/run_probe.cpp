// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_probe.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/quantile.hpp"
#include "executor/mpi/communicator.hpp"
#include "platforms/here.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

/// The platform's cores number as the probe's, rank after rank.
std::vector<double> rates_of_devices(const Machine& machine, const std::vector<double>& of_cores,
                                     int first_core, Rank rank, MPI_Comm world) {
  std::vector<double> rates(static_cast<std::size_t>(machine.devices()), 0.0);
  if (rank < machine.ranks) {
    const auto devices = static_cast<std::size_t>(machine.devices_per_rank);
    for (std::size_t device = 0; device < devices; ++device)
      rates[static_cast<std::size_t>(rank) * devices + device] =
          of_cores[(static_cast<std::size_t>(first_core) + device) % of_cores.size()];
  }
  all_reduce(std::span(rates), MPI_SUM, world, "probe");
  return rates;
}

}  // namespace

CoreRates probe_cores(const PlannedWork& work, const MpiSession& session) {
  const Machine& machine = work.machine;
  if (machine.platform.calibration.probe_flops_per_s <= 0 || machine.platform.device.kind == DeviceKind::gpu)
    return {};
  const int cores = machine_facts().cores;
  const RankOnNode place = place_on_node(session.world());
  // As the calibration did, one rank of a node probes all of its cores, unless it was bound to some of them.
  const bool bound = cores < machine.platform.cores_per_node();
  const bool mine = bound || place.number == 0;
  const int threads = bound ? std::min(machine.cores_per_rank(), cores) : cores;
  quiet_barrier(session.world());
  ProbeRates found{0, std::vector<double>(static_cast<std::size_t>(threads), 0.0)};
  if (mine) found = Probe(threads).rates(kProbe_s);
  quiet_barrier(session.world());
  std::array<double, 2> sums{};  // rates, and cores that they are of
  if (mine) sums = {found.all, static_cast<double>(threads)};
  all_reduce(std::span(sums), MPI_SUM, session.world(), "probe");
  if (!bound) broadcast_on_node(found.of_each, session.world(), "probe");
  const int first = bound ? 0 : place.number * machine.devices_per_rank;
  return {sums[0] / sums[1],
          rates_of_devices(machine, found.of_each, first, session.rank(), session.world())};
}

namespace {

Machine at_rates(Machine machine, const std::vector<double>& rates, double calibrated) {
  machine.device_speeds = rates;
  for (double& speed : machine.device_speeds) speed /= calibrated;
  // A measured rate says what these would have drawn.
  machine.platform.noise.device = machine.platform.noise.node = 0;
  return machine;
}

}  // namespace

std::optional<TimeInterval> predict_again(const PlannedWork& work, const Probes& probes) {
  constexpr std::int64_t kMostProducts = 100'000;
  constexpr int kSimulations = 20;
  if (!probes.known() || work.summary.gemms > kMostProducts) return std::nullopt;
  const std::array<Machine, 2> machines{at_rates(work.machine, probes.before.of_devices, probes.calibrated),
                                        at_rates(work.machine, probes.after.of_devices, probes.calibrated)};
  const int count = machines[0].platform.noise.any() ? kSimulations : 2;
  std::vector<double> seconds;
  for (int number = 0; number < count; ++number) {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;
    options.noise_seed = 1 + static_cast<std::uint64_t>(number);
    seconds.push_back(
        simulate(work.plan, work.contraction, machines[static_cast<std::size_t>(number % 2)], options)
            .makespan_s);
  }
  return TimeInterval{quantile(seconds, 0.05), quantile(seconds, 0.95), count};
}

}  // namespace foretile
