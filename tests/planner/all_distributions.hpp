// SPDX-License-Identifier: BSD-3-Clause
// Random problems whose matrices are anywhere, for the strategy that multiplies where B is.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "planner/problem/tile_ref.hpp"
#include "tests/planner/all_grids.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile {

inline constexpr std::array kDistributions{"contiguous", "cyclic", "table"};

/// Files of this process, removed at its end.
class Tables {
 public:
  ~Tables() {
    std::error_code ignored;
    for (int number = 0; number < written_; ++number) std::filesystem::remove(path(number), ignored);
  }
  std::filesystem::path next() { return path(written_++); }

 private:
  static std::filesystem::path path(int number) {
    return std::filesystem::path(testing::TempDir()) /
           fmt::format("foretile_distribution_{}_{}", ::getpid(), number);
  }
  int written_ = 0;
};

/// A file with a random rank for each tile, the same for the same seed; its "table:FILE".
inline std::string random_table(TileId tiles, int ranks, std::uint64_t seed) {
  static Tables tables;
  const std::filesystem::path path = tables.next();
  Random random(seed);
  std::ofstream file(path);
  file << "# by test\n";
  for (TileId tile = 0; tile < tiles; ++tile) file << random.integer(0, ranks - 1) << "\n";
  return "table:" + path.string();
}

/// Settings of owner-b for so many ranks, by the seed: A, B and C are distributed alike or each in its way.
inline Settings distribution_settings(const Contraction& p, int ranks, std::uint64_t seed) {
  Random random(seed + 7000);
  const auto any_distribution = [&](Matrix matrix) {
    const std::string kind = kDistributions.at(static_cast<std::size_t>(random.integer(0, 2)));
    return kind == "table" ? random_table(shape_of(p, matrix).nonzeros(), ranks,
                                          3 * seed + static_cast<std::uint64_t>(matrix))
                           : kind;
  };
  Settings settings{{"strategy", "owner-b"},
                    {"distribution.a", any_distribution(Matrix::a)},
                    {"distribution.b", any_distribution(Matrix::b)},
                    {"distribution.c", any_distribution(Matrix::c)},
                    {"tree", seed % 2 == 0 ? "chain" : "binomial"},
                    {"store", seed % 4 == 1 ? "lru" : "at_end"},
                    {"order_window", seed % 8 == 2 ? "3" : "1"},
                    {"sum_bytes", fmt::format("{}", random.integer(1, 5000))},
                    {"message_bytes", fmt::format("{}", random.integer(1, 5000))},
                    {"lookahead", fmt::format("{}", random.integer(0, 3))}};
  const auto q = random.integer(1, ranks);
  if (ranks % q == 0) settings["grid"] = fmt::format("1x{}x{}", q, ranks / q);
  return settings;
}

/// A grid_problem() whose B is given. For every fifth seed devices take blocks from each other.
inline GridProblem distributed_problem(std::uint64_t seed, int ranks) {
  GridProblem problem = grid_problem(seed);
  Contraction& p = problem.contraction;
  p.sources.b = Source::given;
  if (seed % 2 == 0) p.alpha = 0.75;
  if (p.reads_c() && seed % 3 == 0) p.beta = 0.3;
  problem.settings = distribution_settings(p, ranks, seed);
  if (seed % 5 == 3) problem.settings["sharing"] = "dynamic";
  return problem;
}

/// For every third seed: each GPU keeps a core, and one to three cores more compute.
inline void add_cores(Machine& machine, std::uint64_t seed) {
  Platform& p = machine.platform;
  if (seed % 3 != 0 || p.device.kind == DeviceKind::core) return;
  Random random(seed + 9000);
  p.sockets = 1;
  p.cores_per_socket =
      machine.ranks_per_node * (machine.devices_per_rank + static_cast<int>(random.integer(1, 3)));
  p.core.kernel.rate_flops_per_s = 1e9 * (0.1 + random.real());
  p.core.kernel.half_m = static_cast<double>(random.integer(0, 3));
}

/// The problem and machine of random_grid_case(), and cores that compute.
inline RandomCase random_distributed_case(std::uint64_t seed) {
  RandomCase c = random_grid_case(seed);
  add_cores(c.machine, seed);
  c.settings = distribution_settings(c.problem, c.machine.ranks, seed);
  return c;
}

/// The same with alpha = 1 and a beta of 0 or 1.
inline RandomCase random_plain_distributed_case(std::uint64_t seed) {
  RandomCase c = random_distributed_case(seed);
  c.problem.alpha = 1;
  if (c.problem.reads_c()) c.problem.beta = 1;
  return c;
}

}  // namespace foretile
