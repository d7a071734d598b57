// SPDX-License-Identifier: BSD-3-Clause
// A machine and problems so small that their makespans are worked out by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "simulator/simulation.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile {

// B is generated. Unless said otherwise tiles are 100 x 100: 80 kB, made in 80 us at 1 GB/s per core; a
// product takes 2e6 flop at 1 Gflop/s = 2 ms. Links without figures take no time. Times below are in us.
inline constexpr double kMicro = 1e-6;
inline constexpr double kPrecision = 0.01;  // us

inline Contraction dense(std::vector<std::int64_t> m, std::vector<std::int64_t> n,
                         std::vector<std::int64_t> k) {
  Tiling rows = Tiling::from_sizes(m);
  Tiling columns = Tiling::from_sizes(n);
  Tiling inner = Tiling::from_sizes(k);
  Shape a = Shape::dense(rows.tiles(), inner.tiles());
  Shape b = Shape::dense(inner.tiles(), columns.tiles());
  Shape c = Shape::dense(rows.tiles(), columns.tiles());
  Contraction problem{"", rows, columns, inner, std::move(a), std::move(b), std::move(c), 0};
  problem.sources.b = Source::generated;
  return problem;
}

inline const Contraction one_product = dense({100}, {100}, {100});
inline const Contraction two_columns = dense({100}, {100, 100}, {100});

/// Two columns that need different tiles of A: nothing is found on the other device.
inline const Contraction apart{"",
                               Tiling::from_sizes({100}),
                               Tiling::uniform(200, 100),
                               Tiling::uniform(200, 100),
                               Shape::dense(1, 2),
                               Shape(2, 2, {{0, 0}, {1, 1}}),
                               Shape::dense(1, 2),
                               0,
                               false,
                               Precision::f64,
                               {Source::given, Source::generated}};

inline Machine machine(int ranks, int devices, int ranks_per_node = 1) {
  return small_machine(ranks, devices, 1 << 30, std::int64_t{1} << 32, ranks_per_node);
}

/// Makespan in us, then bytes from peers.
inline std::vector<double> results(const Contraction& problem, const Machine& on,
                                   const Settings& settings = {}, std::uint64_t seed = 1) {
  return run_isolated([&] {
    const Plan plan = make_plan(problem, on, settings);
    verify(plan, problem);
    const SimulationResult result = simulate(plan, problem, on, {nullptr, seed});
    double peers = 0;
    for (const RankStatistics& rank : result.ranks) {
      for (const DeviceStatistics& device : rank.devices) peers += static_cast<double>(device.d2d_bytes);
    }
    return std::vector<double>{result.makespan_s / kMicro, peers};
  });
}

inline double micros(const Contraction& problem, const Machine& on, const Settings& settings = {},
                     std::uint64_t seed = 1) {
  return results(problem, on, settings, seed).at(0);
}

}  // namespace foretile
