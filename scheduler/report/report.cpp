// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/cost/energy.hpp"
#include "platforms/guesses.hpp"

namespace foretile {

namespace {

/// Collects one value per device or rank.
class SpreadSum {
 public:
  void add(double value) {
    spread_.min = count_ == 0 ? value : std::min(spread_.min, value);
    spread_.max = count_ == 0 ? value : std::max(spread_.max, value);
    sum_ += value;
    ++count_;
  }
  Spread result() const { return count_ == 0 ? spread_ : Spread{spread_.min, sum_ / count_, spread_.max}; }

 private:
  Spread spread_;
  double sum_ = 0;
  int count_ = 0;
};

template <class Value>
Spread spread_of_devices(const std::vector<RankStatistics>& ranks, Value value) {
  SpreadSum sum;
  for (const RankStatistics& rank : ranks) {
    for (const DeviceStatistics& device : rank.devices) sum.add(static_cast<double>(value(device)));
  }
  return sum.result();
}

template <class Value>
Spread spread_of_ranks(const std::vector<RankStatistics>& ranks, Value value) {
  SpreadSum sum;
  for (const RankStatistics& rank : ranks) sum.add(static_cast<double>(value(rank)));
  return sum.result();
}

BusyShares busy_shares(const std::vector<RankStatistics>& ranks, const Machine& machine, double makespan_s) {
  if (!(makespan_s > 0)) return {};
  const auto device_share = [&](double DeviceStatistics::*seconds) {
    return spread_of_devices(ranks, [&](const DeviceStatistics& d) { return d.*seconds / makespan_s; });
  };
  BusyShares busy;
  busy.kernels = device_share(&DeviceStatistics::kernel_s);
  busy.h2d = device_share(&DeviceStatistics::h2d_s);
  busy.d2d = device_share(&DeviceStatistics::d2d_s);
  busy.d2h = device_share(&DeviceStatistics::d2h_s);
  const double core_seconds = machine.cores_per_rank() * makespan_s;
  busy.generation =
      spread_of_ranks(ranks, [&](const RankStatistics& r) { return r.generate_s / core_seconds; });
  busy.network = spread_of_ranks(ranks, [&](const RankStatistics& r) { return r.send_s / makespan_s; });
  busy.combining = spread_of_ranks(ranks, [&](const RankStatistics& r) { return r.combine_s / makespan_s; });
  return busy;
}

DeviceCounts counts_of(const DeviceStatistics& d, Rank rank, Device device) {
  return {rank,        device,      d.kernels,  {d.host_loads, d.peer_loads, d.hits, d.evictions},
          d.h2d_bytes, d.d2d_bytes, d.d2h_bytes};
}

void add_device(Report& report, const DeviceStatistics& device) {
  ++report.devices;
  report.gemms += device.kernels;
  report.flops += device.flops;
  report.bytes.h2d += device.h2d_bytes;
  report.bytes.d2d += device.d2d_bytes;
  report.bytes.d2h += device.d2h_bytes;
  report.loads.host += device.host_loads;
  report.loads.peer += device.peer_loads;
  report.loads.hits += device.hits;
  report.loads.evictions += device.evictions;
}

}  // namespace

Report make_report(const std::vector<RankStatistics>& ranks, const Machine& machine, const ProcessGrid& grid,
                   double makespan_s) {
  Report report;
  report.idle_ranks = machine.ranks - grid.size();
  report.makespan_s = makespan_s;
  report.ranks = static_cast<int>(ranks.size());
  for (const RankStatistics& rank : ranks) {
    report.bytes.network += rank.sent_bytes;
    report.bytes.between_nodes += rank.sent_between_nodes_bytes;
    report.bytes.sent_per_rank_max = std::max(report.bytes.sent_per_rank_max, rank.sent_bytes);
    report.bytes.generated += rank.generated_bytes;
    for (const DeviceStatistics& device : rank.devices) add_device(report, device);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t d = 0; d < ranks[r].devices.size(); ++d) {
      report.per_device.push_back(counts_of(ranks[r].devices[d], Rank::of(r), Device::of(d)));
    }
  }
  report.busy = busy_shares(ranks, machine, makespan_s);
  report.peak_device_bytes = spread_of_devices(ranks, [](const DeviceStatistics& d) { return d.peak_bytes; });
  report.device_budget_bytes = machine.platform.device.memory_bytes;
  report.runtime_source = machine.platform.runtime.source;
  const auto last = std::max_element(ranks.begin(), ranks.end(),
                                     [](const auto& l, const auto& r) { return l.finish_s < r.finish_s; });
  if (last != ranks.end()) report.limits = last->critical;
  return report;
}

std::optional<double> joules_of(const std::vector<RankStatistics>& ranks, const Machine& machine,
                                const Plan& plan, double makespan_s) {
  if (!machine.platform.power.known()) return std::nullopt;
  EnergyUse use{makespan_s, 0, 0};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    use.busy_core_s += ranks[r].generate_s + ranks[r].combine_core_s;
    for (std::size_t d = 0; r < plan.ranks.size() && d < plan.ranks[r].devices.size(); ++d) {
      const DeviceClass& of = plan.class_of(plan.ranks[r].devices[d]);
      const double seconds = ranks[r].devices[d].kernel_s;
      if (of.kind == DeviceKind::gpu) {
        use.busy_device_s += seconds;
      } else {
        use.busy_core_s += of.cores * seconds;
      }
    }
  }
  return joules_of(machine, use);
}

std::optional<Energy> energy_of(const std::vector<RankStatistics>& ranks, const Machine& machine,
                                const Plan& plan, double makespan_s) {
  const std::optional<double> joules = joules_of(ranks, machine, plan, makespan_s);
  if (!joules) return std::nullopt;
  return Energy{*joules, power_is_guessed(machine.platform)};
}

void add_plan(Report& report, const Contraction& contraction, const Machine& machine, const Plan& plan) {
  report.b_streams = plan.operands.b.streams();
  report.device_message_bytes = plan.device_message_bytes;
  report.choice = explain_choice(contraction.sources, plan.strategy);
  report.plan = fmt::format("{}, grid {}", plan.strategy, grid_text(plan.grid));
  for (const ParameterInfo& info : find_strategy(plan.strategy).parameters()) {
    if (info.in_reports) report.plan += fmt::format(", {} {}", info.key, plan.parameters.at(info.key));
  }
  report.predicted = predict_volumes(contraction, machine, plan);
}

}  // namespace foretile
