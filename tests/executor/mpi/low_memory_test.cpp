// SPDX-License-Identifier: BSD-3-Clause
// Memory so short that it hurts: every configuration ends with the right product or a refusal at plan time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::low_memory_test {
namespace {

struct Configuration {
  Contraction problem;
  Machine machine;
  Settings settings;
  bool copies = false;
  bool gpus = false;           ///< else on cores
  bool all_is_chosen = false;  ///< stationary-c may take any block size, and only devices are short of memory
  double scarcity = 0;         ///< device memory over one tile of each matrix
};

std::int64_t one_tile_of_each(const Contraction& p) {
  std::array<std::int64_t, 3> largest{};
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    std::int64_t& most = largest[static_cast<std::size_t>(matrix)];
    for (TileId id = 0; id < shape_of(p, matrix).nonzeros(); ++id)
      most = std::max(most, bytes_of(p, {matrix, id}));
  }
  return largest[0] + largest[1] + largest[2];
}

Contraction random_problem(Random& random, std::uint64_t seed) {
  RandomParameters p;
  p.m = random.integer(1, 60);
  p.n = random.integer(1, 80);
  p.k = random.integer(1, 80);
  p.tile_min = random.integer(1, 12);
  p.tile_max = p.tile_min + random.integer(0, 12);
  p.a_density = random.integer(0, 1) == 1 ? 1 : 0.1 + 0.9 * random.real();
  p.b_density = random.integer(0, 1) == 1 ? 1 : 0.1 + 0.9 * random.real();
  p.seed = seed;
  Contraction problem = random_contraction(p);
  problem.beta = random.integer(0, 1) == 1 ? 1 : 0;
  return problem;
}

/// Many near 1, some below it, where hardly any plan exists.
double random_scarcity(Random& random) {
  const std::array<double, 7> most{1.0, 1.01, 1.3, 2.0, 4.0, 20.0, 50.0};
  const auto range = static_cast<std::size_t>(random.integer(0, 8));
  if (range >= most.size()) return 1.0;
  const double least = range == 0 ? 0.5 : most[range - 1];
  return least + (most[range] - least) * random.real();
}

/// With stationary-b the fractions leave nothing unused.
Settings stationary_b(Random& random) {
  const auto lookahead = random.integer(0, 2);
  const double block = 0.3 + 0.5 * random.real();
  return {
      {"block_fraction", fmt::format("{:.6f}", block)},
      {"chunk_fraction", fmt::format("{:.6f}", 0.9999 * (1 - block) / static_cast<double>(1 + lookahead))},
      {"lookahead", fmt::to_string(lookahead)}};
}

Settings stationary_c(Random& random, bool all_is_chosen) {
  Settings settings{{"strategy", "stationary-c"},
                    {"barriers", std::array{"none", "local", "global"}[random.integer(0, 2)]},
                    {"keep_received", fmt::to_string(random.integer(0, 1))},
                    {"prefetch_c", fmt::to_string(random.integer(0, 1))}};
  if (all_is_chosen) return settings;
  settings["lookahead"] = fmt::to_string(random.integer(0, 3));
  for (const char* size : {"b", "c", "d"}) {
    if (random.integer(0, 2) == 0) settings[size] = fmt::to_string(random.integer(1, 4));
  }
  return settings;
}

void set_host_memory(Machine& machine, std::int64_t bytes) {
  machine.platform.memory_bytes_per_socket = bytes * machine.ranks_per_node;
}

Configuration random_configuration(std::uint64_t seed) {
  Random random(seed);
  Configuration c{random_problem(random, seed), {}, {}};
  c.scarcity = random_scarcity(random);
  const auto device_bytes =
      static_cast<std::int64_t>(c.scarcity * static_cast<double>(one_tile_of_each(c.problem)));
  c.machine = machine_here(std::max<std::int64_t>(1, device_bytes), static_cast<int>(random.integer(1, 4)));
  const bool short_host = random.integer(0, 3) == 0;
  set_host_memory(c.machine, 1 << 30);
  if (short_host) {
    const auto elements = static_cast<double>(c.problem.m.extent() * c.problem.k.extent() +
                                              c.problem.k.extent() * c.problem.n.extent() +
                                              c.problem.m.extent() * c.problem.n.extent());
    set_host_memory(c.machine, static_cast<std::int64_t>(8 * elements * (0.2 + 1.3 * random.real())));
  }
  const bool streams = random.integer(0, 2) > 0;
  if (!streams)  // cores keep tiles of B in host memory
    c.machine.platform.memory_bytes_per_socket +=
        c.machine.devices_per_rank * c.machine.platform.device.memory_bytes * c.machine.ranks_per_node;
  c.all_is_chosen = streams && !short_host && random.integer(0, 1) == 1;
  c.settings = streams ? stationary_c(random, c.all_is_chosen) : stationary_b(random);
  c.settings["grid.p"] = fmt::to_string(random.integer(1, world_size()));
  c.settings["message_bytes"] = fmt::to_string(random.integer(1, 5000));
  c.settings["copy_batch_bytes"] = fmt::to_string(random.integer(0, 5000));
  c.copies = random.integer(0, 1) == 1;
  c.gpus = random.integer(0, 1) == 1;
  return c;
}

/// Counts what became of the configurations.
struct Fates {
  Random random{1};
  int ran = 0;
  int ran_near_the_least = 0;
  int refused = 0;
};

void try_configuration(const Configuration& c, Fates& fates) {
  Plan plan;
  try {
    plan = make_plan(c.problem, c.machine, c.settings);
    verify(plan, c.problem);
  } catch (const InputError& error) {
    ++fates.refused;
    EXPECT_NE(std::string(error.what()).find(" are missing"), std::string::npos) << error.what();
    EXPECT_FALSE(c.all_is_chosen && c.scarcity >= 1) << "one tile of each is enough, but: " << error.what();
    return;
  }
  ++fates.ran;
  if (c.scarcity <= 1.3) ++fates.ran_near_the_least;
  const std::unique_ptr<Gpus> gpus = c.gpus ? test_gpus(c.problem) : nullptr;
  const RunOutcome outcome =
      gpus ? execute_on(*gpus, plan, c.problem, with_gpus(c.machine, fates.random), 100'000)
           : execute(plan, c.problem, c.machine, c.copies);
  EXPECT_TRUE(outcome.check.passed()) << outcome.check.relative_error;
  for (const DeviceStatistics& device : outcome.run.statistics.devices)
    EXPECT_LE(device.peak_bytes, plan.device_classes[0].memory_bytes);
}

TEST(LowMemory, EndsWithTheRightProductOrNamesTheMissingBytes) {
  Fates fates;
  for (int seed = 1; seed <= cases(200); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, world_size()));
    try_configuration(random_configuration(seed), fates);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GE(fates.ran, cases(70));
  EXPECT_GE(fates.ran_near_the_least, cases(20));
  EXPECT_GE(fates.refused, cases(50));
  RecordProperty("ran", fates.ran);
  RecordProperty("ran_near_the_least", fates.ran_near_the_least);
  RecordProperty("refused", fates.refused);
}

}  // namespace
}  // namespace foretile::low_memory_test
