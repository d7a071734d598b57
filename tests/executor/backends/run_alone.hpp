// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a plan, executed without messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backends/host_store.hpp"
#include "executor/backends/rank_backend.hpp"
#include "planner/plan/plan.hpp"
#include "planner/strategies/strategy.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {

/// Nine tiles of B from 1.7 to 24 kB (f64) or half of that, which are made and stay.
inline Contraction generated_tiles(Precision precision) {
  Contraction problem{"p",
                      Tiling({0, 20, 33}),
                      Tiling({0, 50, 80, 111}),
                      Tiling({0, 60, 67, 107}),
                      Shape::dense(2, 3),
                      Shape::dense(3, 3),
                      Shape::dense(2, 3),
                      17,
                      false,
                      precision};
  problem.sources.b = Source::generated;
  return problem;
}

/// Operations that make its B where parts have 1 kB at least: six tiles of 4.8 kB (f32) or more are made by
/// up to four cores, one of 1.4 or 2.8 kB in one or two parts, and two of 1.7 kB (f64) or less in one.
inline std::int64_t generated_operations(Precision precision, int cores) {
  const int medium = precision == Precision::f64 ? std::min(cores, 2) : 1;
  return std::int64_t{6} * cores + medium + 2;
}

/// What a run leaves: the bytes of C, by tile, and what the scheduler counts.
struct AloneResult {
  std::vector<std::vector<std::byte>> c;
  RankStatistics statistics;
};

/// `make` gives the back end for a host store.
template <class MakeBackend>
AloneResult run_alone(const Plan& plan, const Contraction& problem, const SchedulerOptions& options,
                      const MakeBackend& make) {
  HostStore host(problem, plan, plan.ranks[0], 0);
  const auto backend = make(host);
  RankScheduler scheduler(plan, plan.ranks[0], problem, 0, *backend, options);
  backend->start_clock();
  scheduler.start();
  while (!scheduler.finished()) {
    for (const auto& [id, time] : backend->ended(1)) scheduler.done(id, time);
  }
  AloneResult result{{}, scheduler.statistics()};
  for (TileId c = 0; c < problem.c.nonzeros(); ++c) {
    const auto bytes = host.c.at(c).bytes();
    result.c.emplace_back(bytes.begin(), bytes.end());
  }
  return result;
}

}  // namespace foretile
