// SPDX-License-Identifier: BSD-3-Clause
// Both engines of the simulator side by side.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulation.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::engines_test {
namespace {

class AllEvents final : public TraceSink {
 public:
  void record(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

/// Of each operation what it is and when it ended, in one order for both engines; then the makespan.
std::vector<double> ends(const Plan& plan, const RandomCase& c, EngineChoice engine) {
  AllEvents sink;
  SimulationOptions options;
  options.trace = &sink;
  options.engine = engine;
  const double makespan_s = simulate(plan, c.problem, c.machine, options).makespan_s;
  const auto key = [](const TraceEvent& e) {
    return std::tuple(static_cast<int>(e.rank), static_cast<int>(e.cause), e.device, e.i, e.j, e.k, e.bytes,
                      e.end_s);
  };
  std::ranges::sort(sink.events, {}, key);
  std::vector<double> numbers;
  for (const TraceEvent& e : sink.events) {
    for (const int part : {static_cast<int>(e.rank), static_cast<int>(e.cause), e.device, e.i, e.j, e.k})
      numbers.push_back(part);
    numbers.push_back(e.end_s);
  }
  numbers.push_back(makespan_s);
  return numbers;
}

/// Links, memories, buses, cores and limits of every kind, in random figures. Slow ones: what ends within a
/// nanosecond is one instant, and whether it is depends on rounding.
void give_figures(Platform& p, Random& random) {
  const auto link = [&] { return LinkModel{1e-3 * random.real(), 1e3 * (1 + 9 * random.real())}; };
  const auto maybe = [&](double most) {
    return random.integer(0, 2) == 0 ? 0.0 : most * (0.1 + random.real());
  };
  p.links = {link(), link(), maybe(1e4), link(), link(), link()};
  p.links.both_ways_bytes_per_s = random.integer(0, 1) == 0 ? 0.0 : 1e4 * (1 + random.real());
  p.memory_bandwidth_bytes_per_s = maybe(2e4);
  p.network = {link(), maybe(2e4)};
  p.generation_bytes_per_s_per_core /= 1000;
  p.device.kernel.rate_flops_per_s /= 1000;
  p.device.single.rate_flops_per_s /= 1000;
  p.runtime.copy_overhead_s = maybe(1e-3);
  p.runtime.message_overhead_s = maybe(1e-3);
  p.runtime.message_copy_bytes_per_s = maybe(1e5);
  p.runtime.look_overhead_s = maybe(1e-5);
  p.runtime.polling_delay_s = maybe(1e-3);
  if (random.integer(0, 2) == 0)
    p.runtime.unpinned = {1e4 * random.real(), 1e4 * random.real(), 1e4 * random.real(), 1e4 * random.real()};
  if (random.integer(0, 1) == 1) p.noise = {0.05, 0.05, 0.1, 0.1, 0.1};
  if (random.integer(0, 3) == 0) p.device.kind = DeviceKind::core;
  p.solo_speedup = 1 + random.real();
  p.links.node_message_bytes_per_s = maybe(1e4);
  p.core.kernel.rate_flops_per_s /= 1000;
}

/// A node as a graph, with cards and a fabric, where the machine has GPUs.
void wire(Machine& machine, Random& random) {
  Platform& p = machine.platform;
  if (p.device.kind != DeviceKind::gpu) return;
  const int gpus = machine.ranks_per_node * machine.devices_per_rank;
  p.devices_per_socket = (gpus + p.sockets - 1) / p.sockets;
  const int last = p.devices_per_node() - 1;
  const auto table = [&](const std::string& name, const std::string& between) {
    const auto figure = [&] { return 1e3 * (1 + 9 * random.real()); };
    LinkTable t{.name = name, .between = between, .bytes_per_s = figure(), .back_bytes_per_s = figure()};
    if (random.integer(0, 1) == 1) t.both_bytes_per_s = 1e4 * (1 + random.real());
    if (random.integer(0, 1) == 1) t.all_bytes_per_s = figure();
    if (random.integer(0, 1) == 1) t.latency_s = 1e-4 * random.real();
    p.links.tables.push_back(t);
  };
  const std::string hosts = "host0.." + std::to_string(p.sockets - 1);
  const std::string all = "gpu0.." + std::to_string(last);
  table("host", hosts + "-" + all);
  if (p.sockets > 1) table("bus", hosts);
  if (last > 0 && random.integer(0, 1) == 1)
    table("peers", random.integer(0, 1) == 1 ? all : all + "-switch");
  p.network.cards = {.count = static_cast<int>(random.integer(1, 3)),
                     .bytes_per_s = 5e3,
                     .of_rank = static_cast<int>(random.integer(1, 2))};
  table("cards", "card0.." + std::to_string(p.network.cards.count - 1) +
                     (random.integer(0, 1) == 1 ? "-gpu0" : "-host0"));
  p.fabric.type = "dragonfly";
  p.fabric.group_nodes = 2;
  p.fabric.leaf_nodes = static_cast<int>(random.integer(1, 2));
  p.fabric.leaf_bytes_per_s = random.integer(0, 1) == 1 ? 8e3 : 0;
  p.fabric.pair_bytes_per_s = random.integer(0, 1) == 1 ? 3e3 : 0;
  p.fabric.placement = random.integer(0, 1) == 1 ? "packed" : "scattered";
}

/// FORETILE_TEST_ENGINES=2000 is for a run by hand.
std::uint64_t cases() {
  const char* const wanted = std::getenv("FORETILE_TEST_ENGINES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 130;
}

TEST(Engines, EndEveryOperationAtTheSameTime) {
  int runs = 0;
  double largest = 0;
  for (std::uint64_t seed = 0; seed < cases(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCase c = seed % 6 == 0   ? random_plain_grid_case(seed)
                   : seed % 6 == 3 ? random_plain_distributed_case(seed)
                   : seed % 3 == 1 ? random_case(seed)
                                   : random_streamed_case(seed);
    c.machine.platform.device.memory_bytes *= 4;
    Random random(seed + 4000);
    give_figures(c.machine.platform, random);
    if (seed % 2 == 1) wire(c.machine, random);
    Plan plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
      verify(plan, c.problem);
    } catch (const InputError&) {
      continue;
    }
    ++runs;
    const std::vector<double> reference = run_isolated([&] { return ends(plan, c, EngineChoice::simgrid); });
    const std::vector<double> found = ends(plan, c, EngineChoice::fluid);
    ASSERT_EQ(found.size(), reference.size());
    const double makespan_s = reference.back();
    for (std::size_t n = 0; n < found.size(); ++n) {
      largest = std::max(largest, std::abs(found[n] - reference[n]) / makespan_s);
      ASSERT_NEAR(found[n], reference[n], 1e-6 * makespan_s) << "number " << n;
    }
  }
  fmt::print("{} plans, ends differ by at most {:.1e} of the makespan\n", runs, largest);
  EXPECT_GE(runs, static_cast<int>(cases() * 10 / 13));
}

/// The same process twice, and too large a machine for SimGrid.
TEST(Engines, FluidHasNoLimits) {
  Platform raven = load_platform("raven", {"platform.ranks_per_node=72"});
  raven.nodes = 200;
  const Machine machine = make_machine(raven, {.nodes = 130, .ranks = {}, .gpus = {}});  // 9360 ranks
  const Contraction p = random_case(4).problem;
  const Plan plan = make_plan(p, machine, {});
  SimulationOptions options;
  options.engine = EngineChoice::simgrid;
  EXPECT_THROW(simulate(plan, p, machine, options), InputError);
  options.engine = EngineChoice::automatic;
  const double first = simulate(plan, p, machine, options).makespan_s;
  EXPECT_EQ(simulate(plan, p, machine, options).makespan_s, first);
  EXPECT_GT(first, 0);
}

}  // namespace
}  // namespace foretile::engines_test
