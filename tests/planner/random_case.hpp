// SPDX-License-Identifier: BSD-3-Clause
// Random problems, machines and settings for tests; the seed alone determines them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/random.hpp"
#include "base/settings.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/kinds/random.hpp"
#include "platforms/machine.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {

struct RandomCase {
  Contraction problem;
  Machine machine;
  Settings settings;
};

/// B is generated. Irregular tilings of up to about a dozen tiles, densities from 0.1 to 1; C restricted in
/// every third case.
inline Contraction random_small_contraction(Random& random) {
  const auto tiling = [&] {
    const std::int64_t low = random.integer(1, 6);
    const std::int64_t high = low + random.integer(0, 10);
    return random_tiling(random.integer(1, 60), low, high, random);
  };
  Tiling m = tiling();
  Tiling n = tiling();
  Tiling k = tiling();
  const auto density = [&] { return 0.1 + 0.9 * random.real(); };
  Shape a = random_shape(m, k, density(), random);
  Shape b = random_shape(k, n, density(), random);
  const Shape allowed = random_shape(m, n, density(), random);
  Shape c = symbolic_product(a, b, 0.0, random.integer(0, 2) == 0 ? &allowed : nullptr);
  Contraction problem{"random",     std::move(m), std::move(n), std::move(k),
                      std::move(a), std::move(b), std::move(c), random.bits()};
  problem.sources.b = Source::generated;
  return problem;
}

/// 1 to 6 ranks in any grid that they allow (also with ranks left over), 1 to 4 devices each. Device memory
/// is between too small and plenty.
inline RandomCase random_case(std::uint64_t seed) {
  Random random(seed);
  Contraction problem = random_small_contraction(random);
  const int ranks = static_cast<int>(random.integer(1, 6));
  const int devices = static_cast<int>(random.integer(1, 4));
  Machine machine = small_machine(ranks, devices, random.integer(1000, 20000), std::int64_t{1} << 24);
  const int lookahead = static_cast<int>(random.integer(0, 3));
  const double block = 0.1 + 0.8 * random.real();
  const double chunk = (1 - block) / (1 + lookahead) * (0.3 + 0.71 * random.real());
  Settings settings{{"grid.p", fmt::format("{}", random.integer(1, ranks))},
                    {"block_fraction", fmt::format("{:.6f}", block)},
                    {"chunk_fraction", fmt::format("{:.6f}", chunk)},
                    {"lookahead", fmt::format("{}", lookahead)},
                    {"message_bytes", fmt::format("{}", random.integer(1, 3000))},
                    {"copy_batch_bytes", fmt::format("{}", random.integer(0, 3000))}};
  return {std::move(problem), std::move(machine), std::move(settings)};
}

/// The same for local-b.
inline RandomCase random_local_case(std::uint64_t seed) {
  RandomCase c = random_case(seed);
  c.settings["strategy"] = "local-b";
  return c;
}

/// The same for stationary-c, where B is given, with b x c x d given or chosen and every kind of barrier; C =
/// A B or C += A B, every third case dense.
inline RandomCase random_streamed_case(std::uint64_t seed) {
  RandomCase c = random_case(seed);
  Random random(seed + 77);
  if (random.integer(0, 2) == 0) {
    Contraction& p = c.problem;
    p.a = Shape::dense(p.m.tiles(), p.k.tiles());
    p.b = Shape::dense(p.k.tiles(), p.n.tiles());
    p.c = Shape::dense(p.m.tiles(), p.n.tiles());
  }
  c.problem.beta = random.integer(0, 1) == 1 ? 1 : 0;
  c.problem.sources = {};
  for (const char* key : {"block_fraction", "chunk_fraction"}) c.settings.erase(key);
  c.settings["strategy"] = "stationary-c";
  c.settings["barriers"] = std::array{"none", "local", "global"}[random.integer(0, 2)];
  c.settings["keep_received"] = fmt::format("{}", random.integer(0, 1));
  c.settings["prefetch_c"] = fmt::format("{}", random.integer(0, 1));
  for (const char* size : {"b", "c", "d"}) {
    if (random.integer(0, 1) == 1) c.settings[size] = fmt::format("{}", random.integer(1, 5));
  }
  // 1, or all devices above each other; 4 may also be 2 x 2.
  const int devices = c.machine.devices_per_rank;
  const std::array<int, 3> rows{1, devices, devices == 4 ? 2 : devices};
  if (random.integer(0, 3) > 0) c.settings["device_rows"] = fmt::format("{}", rows[random.integer(0, 2)]);
  return c;
}

/// The same for grid-3d, with 1 to 8 ranks on nodes of 1 to 4, any grid, devices that divide K too, and C =
/// alpha A B + beta C.
inline RandomCase random_grid_case(std::uint64_t seed) {
  RandomCase c = random_streamed_case(seed);
  Random random(seed + 177);
  c.machine.ranks = static_cast<int>(random.integer(1, 8));
  c.machine.ranks_per_node = static_cast<int>(random.integer(1, 4));
  if (random.integer(0, 1) == 1) c.problem.alpha = 0.75;
  if (c.problem.reads_c() && random.integer(0, 1) == 1) c.problem.beta = 0.3;
  c.settings.erase("grid.p");
  c.settings.erase("device_rows");
  c.settings["strategy"] = "grid-3d";
  const auto r = random.integer(1, c.machine.ranks);
  const auto p = random.integer(1, c.machine.ranks / r);
  const auto q = random.integer(1, c.machine.ranks / r / p);
  if (random.integer(0, 9) > 0) c.settings["grid"] = fmt::format("{}x{}x{}", p, q, r);
  c.settings["grid.node"] = random.integer(0, 1) == 0 ? "natural" : "auto";
  c.settings["tree"] = random.integer(0, 1) == 0 ? "chain" : "binomial";
  c.settings["sum_bytes"] = fmt::format("{}", random.integer(1, 3000));
  const int devices = c.machine.devices_per_rank;
  const int layers = static_cast<int>(random.integer(1, devices));
  if (devices % layers == 0) c.settings["device_layers"] = fmt::format("{}", layers);
  return c;
}

/// The same with a B that is generated. Its blocks have all rows of a rank, so devices have more memory.
inline RandomCase random_generated_grid_case(std::uint64_t seed) {
  RandomCase c = random_grid_case(seed);
  c.problem.sources.b = Source::generated;
  c.machine.platform.device.memory_bytes *= 6;
  for (const char* key : {"b", "prefetch_c"}) c.settings.erase(key);
  return c;
}

/// The same as simulator and executor know it: alpha = 1, beta 0 or 1; B given or made.
inline RandomCase random_plain_grid_case(std::uint64_t seed) {
  RandomCase c = seed % 2 == 0 ? random_generated_grid_case(seed) : random_grid_case(seed);
  c.problem.alpha = 1;
  if (c.problem.reads_c()) c.problem.beta = 1;
  return c;
}

}  // namespace foretile
