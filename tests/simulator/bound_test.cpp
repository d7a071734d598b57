// SPDX-License-Identifier: BSD-3-Clause
// No simulation without noise beats the bounds of planner/bound.
#include "planner/bound/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "simulator/simulation.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::bound_test {
namespace {

/// Every figure of a platform, or none: links, software, unpinned memory, sockets, cores with a cache and
/// with idle neighbours.
void draw_platform(Machine& machine, Random& random) {
  Platform& p = machine.platform;
  const auto one_in = [&](int n) { return random.integer(1, n) == 1; };
  const auto link = [&] {
    return LinkModel{1e-6 * random.real(), one_in(5) ? 0 : 1e6 * (1 + 9 * random.real())};
  };
  p.links = {link(), link(), one_in(3) ? 0 : 1e7 * random.real(), link(),
             link(), link(), one_in(3) ? 1e7 * random.real() : 0};
  p.network = {link(), one_in(3) ? 0 : 1e7 * random.real()};
  p.network.device_message = link();
  p.memory_bandwidth_bytes_per_s = one_in(3) ? 1e7 * random.real() : 0;
  p.runtime.copy_overhead_s = one_in(3) ? 1e-3 * random.real() : 1e-6 * random.real();
  p.runtime.message_overhead_s = one_in(3) ? 1e-3 * random.real() : 1e-6 * random.real();
  if (one_in(3))
    p.runtime.unpinned = {1e7 * random.real(), 1e7 * random.real(), 1e7 * random.real(), 1e7 * random.real()};
  p.device.kernel.latency_s = 1e-5 * random.real();
  p.device.kernel.rate_flops_per_s = 1e8 * (1 + 9 * random.real());
  p.device.kernel.half_m = 10 * random.real();
  if (one_in(2))
    p.device.batched = {.rate_flops_per_s = 1e9 * random.real(), .latency_s = 1e-5 * random.real()};
  p.generation_bytes_per_s_per_core = 1e6 * (1 + 99 * random.real());
  if (one_in(5)) p.generation_bytes_per_s_on_device = 1e8 * random.real();
  if (one_in(5)) p.device.in_host_memory = true;
  if (one_in(3)) p.messages = "device";
  if (!one_in(3)) return;
  p.device.kind = DeviceKind::core;
  p.solo_speedup = one_in(2) ? 1 + random.real() : 1;
  p.runtime.product_overhead_s = 1e-5 * random.real();
  p.runtime.shared_product_overhead_s = 1e-5 * random.real();
  p.runtime.look_overhead_s = 1e-5 * random.real();
  p.runtime.polling_delay_s = random.integer(0, 1) == 0 ? 0 : 1e-5;
  if (one_in(2)) p.device.cache.bytes = random.integer(100, 20000);
  p.device.cache.factors.fill(0.5 + 0.6 * random.real());
}

/// Ranks on nodes of one or several, nodes of one or two sockets.
void draw_nodes(Machine& machine, Random& random) {
  Platform& p = machine.platform;
  for (const int each : {3, 2}) {
    if (machine.ranks % each != 0 || random.integer(0, 1) == 0) continue;
    machine.ranks_per_node = p.ranks_per_node = each;
    p.cores_per_socket *= each;
    p.devices_per_socket *= each;
    p.memory_bytes_per_socket *= each;
    p.nodes = machine.nodes();
    break;
  }
  if (p.devices_per_socket % 2 != 0 || machine.ranks_per_node % 2 != 0 || random.integer(0, 1) == 0) return;
  p.sockets = 2;
  p.devices_per_socket /= 2;
  p.cores_per_socket /= 2;
  p.memory_bytes_per_socket /= 2;
}

/// Tiles 100 times as long, which several cores make together, on a machine with as much more memory, and a
/// thousand times as fast in products, so that generation still counts.
void enlarge(RandomCase& c) {
  constexpr std::int64_t kLonger = 100;
  for (Tiling* tiling : {&c.problem.m, &c.problem.n, &c.problem.k}) {
    std::vector<std::int64_t> cuts = tiling->cuts();
    for (std::int64_t& cut : cuts) cut *= kLonger;
    *tiling = Tiling(std::move(cuts));
  }
  Platform& p = c.machine.platform;
  p.device.memory_bytes *= kLonger * kLonger;
  p.memory_bytes_per_socket *= kLonger * kLonger;
  for (KernelModel* kernel : {&p.device.kernel, &p.device.batched}) kernel->rate_flops_per_s *= 1000;
}

/// At up to the speed of all cores that make tiles.
void read_from_file(RandomCase& c, Random& random) {
  Platform& p = c.machine.platform;
  c.problem.sources.b = Source::in_file;
  p.file_bytes_per_s_per_node =
      p.generation_bytes_per_s_per_core * static_cast<double>(random.integer(1, p.cores_per_node()));
  if (random.integer(0, 1) == 0)
    p.file_bytes_per_s_per_core = p.file_bytes_per_s_per_node / static_cast<double>(random.integer(1, 4));
}

struct Counts {
  int runs = 0;
  double tightest = 0, sum = 0;
};

/// 100 seeds from `first`.
Counts check_bounds(std::uint64_t first) {
  Counts counts;
  for (std::uint64_t seed = first; seed < first + 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCase c = seed % 6 == 1   ? random_plain_grid_case(seed / 6)
                   : seed % 6 == 3 ? random_plain_distributed_case(seed / 6)
                   : seed % 2 != 0 ? random_streamed_case(seed)
                   : seed % 4 == 0 ? random_case(seed)
                                   : random_local_case(seed);
    c.machine.platform.device.memory_bytes *= 3;
    Random random(seed + 1000);
    draw_nodes(c.machine, random);
    draw_platform(c.machine, random);
    if (seed % 2 == 0 && random.integer(0, 1) == 0) enlarge(c);  // where B is generated
    if (c.problem.sources.b == Source::generated && random.integer(0, 3) == 0) read_from_file(c, random);
    c.settings["batch"] = std::to_string(random.integer(0, 1) == 0 ? 1 : 5);
    const bool chain = random.integer(0, 1) == 1;
    SimulationOptions options;
    if (random.integer(0, 3) == 0) options.groups.products = 8;
    options.in_plan_order = random.integer(0, 4) == 0;
    try {
      verify(make_plan(c.problem, c.machine, c.settings), c.problem);
    } catch (const InputError&) {
      continue;
    }
    const auto numbers = run_isolated([&] {
      Plan plan = make_plan(c.problem, c.machine, c.settings);
      for (RankPlan& rank : plan.ranks) {
        for (Transfer& transfer : rank.transfers) transfer.tree = chain ? Tree::chain : Tree::binomial;
      }
      const Bounds bounds = bounds_of(plan, c.problem, c.machine);
      const double before = bound_before_planning(c.problem, c.machine, c.settings).seconds;
      return std::vector<double>{bounds.plan.seconds, std::max(bounds.problem.seconds, before),
                                 simulate(plan, c.problem, c.machine, options).makespan_s};
    });
    EXPECT_LE(numbers.at(0), numbers.at(2) * (1 + 1e-6));
    EXPECT_LE(numbers.at(1), numbers.at(2) * (1 + 1e-6));
    if (numbers.at(2) == 0) continue;  // nothing to do
    ++counts.runs;
    counts.tightest = std::max(counts.tightest, numbers.at(0) / numbers.at(2));
    counts.sum += numbers.at(0) / numbers.at(2);
  }
  return counts;
}

/// Of plans; by hand more (docs/testing.md).
int hundreds() {
  const char* const wanted = std::getenv("FORETILE_TEST_BOUNDS");
  return wanted ? std::stoi(wanted) : 8;
}

class BoundsOfRandomPlans : public testing::TestWithParam<int> {};

TEST_P(BoundsOfRandomPlans, NothingIsFaster) {
  const Counts counts = check_bounds(static_cast<std::uint64_t>(GetParam()) * 100);
  EXPECT_GE(counts.runs, 80);
  EXPECT_GT(counts.tightest, 0.95);
  RecordProperty("runs", counts.runs);
  RecordProperty("mean_percent", static_cast<int>(100 * counts.sum / counts.runs));
}

INSTANTIATE_TEST_SUITE_P(Hundreds, BoundsOfRandomPlans, testing::Range(0, hundreds()));

}  // namespace
}  // namespace foretile::bound_test
