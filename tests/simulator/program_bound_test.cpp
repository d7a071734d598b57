// SPDX-License-Identifier: BSD-3-Clause
// No simulation of a program without noise beats its bounds.
#include "planner/bound/program_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/tensor/program_text.hpp"
#include "simulator/simulation.hpp"
#include "tests/planner/program/flow_machine.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::program_bound_test {
namespace {

/// X = a b, R = X b in spatial orbitals. a, b, X and R have 4 x 4 tiles of 50 x 50: 64 products of each term,
/// of 2.5e5 flop or 0.25 ms on a device of 1 Gflop/s; in all 32 ms.
FusedProgram two_products() {
  return {parse_program("orbitals = spatial\nspace a = virtual\ntensor x[a,a]\ntensor y[a,a]\n"
                        "result R[a,a]\ni: I[a1,a2] += x[a1,a3] y[a3,a2]\n"
                        "r: R[a1,a2] += I[a1,a3] y[a3,a2]\n",
                        "test"),
          {.occupied = 1, .virtuals = 200, .tile = 50},
          "test"};
}

TEST(ProgramBound, IsOfAllProductsOrOfAChain) {
  const FusedProgram program = two_products();
  const Bound few = program_bound(program, flow_machine(2, 2));
  EXPECT_NEAR(few.seconds, 128 * 0.25e-3 / 4, 1e-12);
  EXPECT_EQ(few.limit, "products on all devices");
  EXPECT_TRUE(few.work.products);
  // A tile of R waits for tiles of X, each for one product at least: two products, one behind the other.
  const Bound many = program_bound(program, flow_machine(100, 4));
  EXPECT_NEAR(many.seconds, 2 * 0.25e-3, 1e-12);
  EXPECT_EQ(many.limit, "a chain of products that wait for each other");
}

TEST(ProgramBound, CountsCoresThatMultiplyBesideGpus) {
  const FusedProgram program = two_products();
  Machine machine = flow_machine(1, 2);
  machine.platform.device.kind = DeviceKind::gpu;
  machine.platform.cores_per_socket = 5;  // three are left: each as fast as half a GPU
  machine.platform.core.kernel.rate_flops_per_s = 0.5e9;
  const double cores = machine.cores_beside_gpus();
  ASSERT_EQ(cores, 3);
  const double seconds = program_bound(program, machine).seconds;
  EXPECT_LT(seconds, 128 * 0.25e-3 / 2);
  EXPECT_GE(seconds, 128 * 0.25e-3 / (2 + 0.5 * cores) * (1 - 1e-9));
}

/// Figures of all kinds within two decades, so that products, copies, messages and software count.
void draw_platform(Machine& machine, Random& random) {
  Platform& p = machine.platform;
  const auto one_in = [&](int n) { return random.integer(1, n) == 1; };
  const auto link = [&] {
    return LinkModel{1e-6 * random.real(), one_in(5) ? 0 : 1e6 * (1 + 99 * random.real())};
  };
  p.links = {link(), link(), one_in(3) ? 0 : 1e7 * random.real(), link(),
             link(), link(), one_in(3) ? 1e7 * random.real() : 0};
  p.network = {link(), one_in(3) ? 0 : 1e7 * random.real()};
  if (one_in(3)) p.network.message.bandwidth_bytes_per_s = 1e5 * (1 + 9 * random.real());
  p.memory_bandwidth_bytes_per_s = one_in(3) ? 1e7 * random.real() : 0;
  p.runtime.copy_overhead_s = one_in(3) ? 1e-3 * random.real() : 1e-6 * random.real();
  p.runtime.message_overhead_s = one_in(3) ? 1e-3 * random.real() : 1e-6 * random.real();
  p.device.kernel.latency_s = 1e-5 * random.real();
  p.device.kernel.rate_flops_per_s = 1e7 * (1 + 9 * random.real());
  if (one_in(2))
    p.device.batched = {.rate_flops_per_s = 1e8 * random.real(), .latency_s = 1e-5 * random.real()};
  p.device.kind = one_in(2) ? DeviceKind::core : DeviceKind::gpu;
  if (p.device.kind == DeviceKind::gpu) {
    if (one_in(3))
      p.runtime.unpinned = {1e7 * random.real(), 1e7 * random.real(), 1e7 * random.real(),
                            1e7 * random.real()};
    p.cores_per_socket += static_cast<int>(random.integer(0, 3));
    if (one_in(3)) p.core.kernel = {.rate_flops_per_s = 1e7 * random.real(), .latency_s = 1e-6};
    return;
  }
  p.solo_speedup = one_in(2) ? 1 + random.real() : 1;
  p.runtime.product_overhead_s = 1e-5 * random.real();
  if (one_in(2)) p.device.cache.bytes = random.integer(100, 20000);
  p.device.cache.factors.fill(0.5 + 0.6 * random.real());
}

Program random_program(Random& random) {
  constexpr std::array kExamples{"ccsd_t2", "ccsd", "drccd", "cholesky_ccsd_lean", "ccd_closed_shell"};
  const std::string name = kExamples.at(static_cast<std::size_t>(random.integer(0, 4)));
  return load_program(find_data("examples/" + name + ".txt"));
}

ProgramSizes random_sizes(const Program& program, Random& random) {
  const bool has_vectors = std::ranges::any_of(
      program.spaces, [](const IndexSpace& space) { return space.kind == SpaceKind::auxiliary; });
  return {.occupied = random.integer(1, 3),
          .virtuals = random.integer(2, 5),
          .tile = random.integer(2, 4),
          .vectors = has_vectors ? random.integer(3, 7) : 0,
          .vector_tile = has_vectors ? 3 : 0,
          .slices = 1};
}

/// 3 numbers of each plan: its bound, that of all plans, and what it takes.
std::vector<double> times_of(std::uint64_t seed) {
  Random random(seed);
  const Program program = random_program(random);
  const FusedProgram fused(program, random_sizes(program, random), "random");
  Machine machine =
      flow_machine(static_cast<int>(random.integer(1, 4)), static_cast<int>(random.integer(1, 2)));
  if (machine.ranks % 2 == 0 && random.integer(0, 1) == 0) {
    machine.ranks_per_node = machine.platform.ranks_per_node = 2;
    machine.platform.cores_per_socket *= 2;
    machine.platform.devices_per_socket *= 2;
    machine.platform.nodes = machine.nodes();
  }
  draw_platform(machine, random);
  constexpr std::array kStrategies{"owner-computes-c", "owner-b", "grid-3d", "stationary-c"};
  Settings settings{{"strategy", kStrategies.at(static_cast<std::size_t>(random.integer(0, 3)))}};
  if (random.integer(0, 1) == 0) settings["batch"] = "5";
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  if (random.integer(0, 3) == 0) options.groups.products = 8;
  std::vector<double> numbers;
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    try {
      const ProgramPlan plan = choose_plan(fused, machine, settings, {.mode = mode});
      const PlannedWork& work = plan.work;
      const Bounds bounds = bounds_of(work.plan, work.contraction, fused, machine);
      numbers.push_back(bounds.plan.seconds);
      numbers.push_back(bounds.problem.seconds);
      numbers.push_back(simulate(work.plan, work.contraction, machine, options).makespan_s);
    } catch (const InputError&) {  // it does not fit, or the strategy does not take the setting
    }
  }
  return numbers;
}

/// Programs; by hand more (docs/testing.md).
std::uint64_t programs_wanted() {
  const char* const wanted = std::getenv("FORETILE_TEST_PROGRAM_BOUNDS");
  return wanted ? std::stoull(wanted) : 60;
}

TEST(ProgramBound, NoRandomPlanIsFaster) {
  int plans = 0;
  double tightest = 0;
  for (std::uint64_t seed = 0; seed < programs_wanted(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<double> times = run_isolated([&] { return times_of(seed); });
    for (std::size_t n = 0; n < times.size(); n += 3) {
      EXPECT_LE(times[n], times[n + 2] * (1 + 1e-6)) << "of the plan, " << n / 3;
      EXPECT_LE(times[n + 1], times[n + 2] * (1 + 1e-6)) << "of all plans, " << n / 3;
      EXPECT_GT(times[n + 1], 0);
      tightest = std::max(tightest, times[n] / times[n + 2]);
      ++plans;
    }
  }
  EXPECT_GT(plans, static_cast<int>(programs_wanted()));
  EXPECT_GT(tightest, 0.8);
  RecordProperty("plans", plans);
}

}  // namespace
}  // namespace foretile::program_bound_test
