// SPDX-License-Identifier: BSD-3-Clause
// What a run did and what limited it, the same for simulations and real runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/spread.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/grid.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/communication_model.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/machine.hpp"
#include "scheduler/path.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

/// One resource twice as good: what a better machine would save, measured by a simulation.
struct WhatIfRow {
  std::string resource;
  std::string set;  ///< --set expressions that do the same, separated by spaces
  double makespan_s = 0;
  double saved_s = 0;  ///< against the unchanged machine simulated in the same way; negative: it takes longer
  bool in_full = true;  ///< else coarse
};

struct WhatIf {
  double makespan_s = 0;         ///< of the unchanged machine, simulated in full
  double coarse_makespan_s = 0;  ///< the same, coarse
  std::vector<WhatIfRow> rows;   ///< those in full first, each kind with the best first
  std::vector<std::pair<std::string, std::string>> refused;  ///< resources without a row, and why
};

/// Shares of the makespan during which a resource has at least one operation in flight.
struct BusyShares {
  Spread kernels, h2d, d2d, d2h;  ///< per device
  Spread generation;              ///< per rank, of all its cores' time
  Spread network;                 ///< per rank, messages sent
  Spread combining;               ///< per rank, additions of parts of C
};

/// Bytes moved or made.
struct BytesByKind {
  std::int64_t network = 0;            ///< between ranks
  std::int64_t between_nodes = 0;      ///< of these, to ranks of other nodes
  std::int64_t sent_per_rank_max = 0;  ///< of these, most by one rank
  std::int64_t h2d = 0;
  std::int64_t d2d = 0;
  std::int64_t d2h = 0;
  std::int64_t generated = 0;

  std::int64_t within_nodes() const { return network - between_nodes; }
};

/// Where devices found the tiles of A, and of B where it streams.
struct LoadCounts {
  std::int64_t host = 0;
  std::int64_t peer = 0;  ///< on another device of the rank, or where messages come to devices
  std::int64_t hits = 0;  ///< on the device itself, left from before
  std::int64_t evictions = 0;
};

struct DeviceCounts {
  Rank rank = 0;
  Device device = 0;  ///< of the rank
  std::int64_t gemms = 0;
  LoadCounts loads;
  std::int64_t h2d_bytes = 0, d2d_bytes = 0, d2h_bytes = 0;
};

/// What a simulated run takes.
struct Energy {
  double joules = 0;
  bool is_guess = false;  ///< figures of the platform's [power] are guesses
};

struct Report {
  double makespan_s = 0;
  double flops = 0;
  std::int64_t gemms = 0;
  int ranks = 0;
  int idle_ranks = 0;  ///< that the grid leaves out
  int devices = 0;
  std::string runtime_source = "none";  ///< whose software costs the machine has (runtime_sources())
  std::string plan;                     ///< strategy, grid and sizes, for people; empty when not given
  BytesByKind bytes;
  BusyShares busy;
  LoadCounts loads;
  std::vector<DeviceCounts> per_device;  ///< rank after rank
  Spread peak_device_bytes;
  std::int64_t device_budget_bytes = 0;
  Path limits;                    ///< critical path: of the operation that ended last
  std::optional<WhatIf> what_if;  ///< measured, where it was asked for
  bool b_streams = false;
  std::int64_t device_message_bytes = 0;      ///< PlanFrame::device_message_bytes
  std::optional<StrategyChoice> choice;       ///< of the plan's strategy
  std::string decision;                       ///< why that is the strategy, where none was named
  std::optional<PredictedVolumes> predicted;  ///< what the communication model says of the plan
  std::optional<Bounds> bounds;               ///< of a simulation: what nothing can beat
  std::optional<Energy> energy;               ///< of a simulation, where power is known

  double flops_per_s() const { return makespan_s > 0 ? flops / makespan_s : 0; }
};

/// Statistics of all ranks, in order. `makespan_s` is the end of the last operation.
Report make_report(const std::vector<RankStatistics>& ranks, const Machine& machine, const ProcessGrid& grid,
                   double makespan_s);

/// Adds what is known of the plan: how B reaches the devices, predicted volumes.
void add_plan(Report& report, const Contraction& contraction, const Machine& machine, const Plan& plan);

/// Joules of a simulated run (platforms/cost/energy.hpp). Cores are busy while they multiply, generate or add
/// tiles, GPUs while they multiply. Nothing where the platform's power is not known.
std::optional<double> joules_of(const std::vector<RankStatistics>& ranks, const Machine& machine,
                                const Plan& plan, double makespan_s);
/// The same, and how well it is known.
std::optional<Energy> energy_of(const std::vector<RankStatistics>& ranks, const Machine& machine,
                                const Plan& plan, double makespan_s);

/// "received in memory of the devices, 1.2 GB of each".
std::string device_messages_text(std::int64_t bytes);

/// "3.42 MJ", or "about 3.42 MJ".
std::string energy_text(const Energy& energy);

/// "18.2 s: copies of rank 3, device 0".
std::string bound_text(const Bound& bound);
/// "18.2 s, copies of rank 3, device 0 (1.94 times that)".
std::string bound_text(const Bound& bound, double makespan_s);

/// "generation of B takes 99% of the critical path": what the path shows, and of what would
/// help the largest saving that was measured.
std::string limit_sentence(const Report& report);

/// For people, about 20 lines; the limit first.
std::string report_text(const Report& report);

}  // namespace foretile
