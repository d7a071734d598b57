// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "planner/c_work.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/loader.hpp"
#include "simulator/foretile_simulate.h"
#include "simulator/machine_links.hpp"
#include "simulator/noise.hpp"
#include "simulator/reference_engine.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/hand_worked.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::simulation_test {
namespace {

/// Makespan in us with a number of products in a launch, of `coarse` products in an activity.
double micros_in_batches(const Contraction& problem, const Machine& on, int batch, int coarse = 1) {
  return run_isolated([&] {
           Plan plan = make_plan(problem, on, {});
           plan.batch = batch;
           verify(plan, problem);
           const SimulationOptions options{.groups = {.products = coarse}};
           return std::vector<double>{simulate(plan, problem, on, options).makespan_s / kMicro};
         })
      .at(0);
}

/// 80 to make B, 2000 for the kernel.
TEST(Simulation, OneKernel) {
  EXPECT_NEAR(micros(one_product, machine(1, 1)), 2080, kPrecision);
}

/// The first simulation of a process takes SimGrid where it is built, the next ones the fluid engine.
TEST(Simulation, RunsAgainInOneProcess) {
  const std::vector<double> found = run_isolated([] {
    const Machine m = machine(1, 1);
    const Plan plan = make_plan(one_product, m, {});
    std::vector<double> numbers;
    for (int time = 0; time < 3; ++time) {
      const SimulationResult result = simulate(plan, one_product, m);
      numbers.push_back(result.makespan_s / kMicro);
      numbers.push_back(result.engine == EngineChoice::simgrid ? 1 : 0);
    }
    const SimulationOptions again{.engine = EngineChoice::simgrid};
    try {
      simulate(plan, one_product, m, again);
    } catch (const InputError&) {
      numbers.push_back(2);
    }
    return numbers;
  });
  ASSERT_EQ(found.size(), 7U);
  for (const std::size_t time : {0U, 1U, 2U}) {
    EXPECT_NEAR(found[2 * time], 2080, kPrecision);
    EXPECT_EQ(found[2 * time + 1], time == 0 && reference_engine() ? 1 : 0);
  }
  EXPECT_EQ(found[6], 2) << "SimGrid was taken for the second time, or without being built";
}

/// The C interface's, before and after one with SimGrid.
TEST(Simulation, RunsAgainInC) {
  const std::vector<double> found = run_isolated([] {
    const Machine m = machine(1, 1);
    const PlannedWork work = plan_work(one_product, m, {});
    std::vector<double> numbers(3, -1);
    for (double& seconds : numbers) {
      if (foretile_simulate(c_work(work), &seconds) != FORETILE_OK) std::puts(foretile_message());
      simulate(work.plan, work.contraction, work.machine);
    }
    return numbers;
  });
  ASSERT_EQ(found.size(), 3U);
  for (const double seconds : found) EXPECT_NEAR(seconds / kMicro, 2080, kPrecision);
}

/// 80 to make B and 2000 for the kernel, whose device and node have a factor each, and the model one for all.
/// Of two devices with a product each the slower one ends last.
TEST(Simulation, DevicesAndNodesAreSlowForAWholeRun) {
  Machine m = machine(1, 1);
  m.platform.noise = {.device = 0.2, .node = 0.1, .model = 0.05};
  const auto factor = [](std::uint64_t device) {
    return lasting_factor(0.2, 1, Noisy::device, device) * lasting_factor(0.1, 1, Noisy::node, 0) *
           lasting_factor(0.05, 1, Noisy::model, 0);
  };
  EXPECT_NE(factor(0), factor(1));
  EXPECT_NEAR(micros(one_product, m), 80 + 2000 * factor(0), kPrecision);
  m = machine(1, 2);
  m.platform.noise = {.device = 0.2, .node = 0.1, .model = 0.05};
  EXPECT_NEAR(micros(apart, m), 80 + 2000 * std::max(factor(0), factor(1)), kPrecision);
}

/// A is loaded behind B, in the same copy: 80 + (10 + 160) + 2000 + (20 + 80 / 2).
TEST(Simulation, LoadKernelStore) {
  Machine m = machine(1, 1);
  m.platform.links.host_to_device = {10e-6, 1e9};
  m.platform.links.device_to_host = {20e-6, 2e9};
  EXPECT_NEAR(micros(one_product, m), 2310, kPrecision);
}

/// Both devices load B and A at once, 160 kB each at 1.6 / 2 GB/s = 200, and store C's 80 kB at once: 100.
/// 80 + 200 + 2000 + 100.
TEST(Simulation, TwoDevicesShareTheSocket) {
  Machine m = machine(1, 2);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.socket_host_to_device_bytes_per_s = 1.6e9;
  EXPECT_NEAR(micros(apart, m), 2380, kPrecision);
}

/// As before, but each device has a socket and thus a limit of its own: 0.8 GB/s again.
TEST(Simulation, DevicesOnDifferentSocketsDoNotShare) {
  Machine m = machine(1, 2);
  m.platform.sockets = 2;
  m.platform.devices_per_socket = 1;
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.socket_host_to_device_bytes_per_s = 0.8e9;
  EXPECT_NEAR(micros(apart, m), 2380, kPrecision);
}

/// One rank on two sockets: a load of B and A (160 kB, by B's home) takes 160 on the device's link or 5 + 320
/// on the bus, a store of C (80 kB) nothing or 5 + 160. Device 1 does column 1.
TEST(Simulation, TheBusBetweenSocketsLimits) {
  Machine m = machine(1, 2);
  m.platform.sockets = 2;
  m.platform.devices_per_socket = 1;
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.cross_socket = {5e-6, 0.5e9};
  int crossings = 0;
  const auto far = [&](Device device, TileRef tile) {
    const bool crosses = home_socket(m, 0, tile) != device;
    crossings += crosses;
    return crosses;
  };
  const auto micros_of = [&](Device d) {
    const auto id = static_cast<TileId>(d);
    return 80 + (far(d, {Matrix::b, id}) ? 325 : 160) + 2000 + (far(d, {Matrix::c, id}) ? 165 : 0);
  };
  const int expected = std::max(micros_of(0), micros_of(1));
  EXPECT_NEAR(micros(apart, m), expected, kPrecision);
  EXPECT_GT(crossings, 0);
}

/// Columns of 100 and 400. One device has B (made after 80) and A after 80 + 160 = 240. The other's B is
/// generated after 320; A comes from the first device then, in 30 + 80 kB at 0.1 GB/s = 830, longer than B
/// (320 from the host). Kernel 8000: 320 + 830 + 8000.
TEST(Simulation, CopiesFromAPeer) {
  Machine m = machine(1, 2);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.peer = {30e-6, 0.1e9};
  const auto found = results(dense({100}, {100, 400}, {100}), m);
  EXPECT_NEAR(found[0], 9150, kPrecision);
  EXPECT_EQ(found[1], 80000);
}

/// Both devices need the same A. Device 0 loads B and A, 160 kB, device 1 its B, 80 kB, at 1.6 GB/s together:
/// 100 until B is there, 80 more at 1 GB/s until A is on device 0. Device 1 waits for that, then takes A from
/// there in no time. 80 + 180 + 2000 + 100.
TEST(Simulation, WaitsForWhatAPeerIsLoading) {
  Machine m = machine(1, 2);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.socket_host_to_device_bytes_per_s = 1.6e9;
  const auto found = results(two_columns, m);
  EXPECT_NEAR(found[0], 2360, kPrecision);
  EXPECT_EQ(found[1], 80000);
}

/// As above, but each copied tile costs 500 of software. B and A travel to device 0 as one copy, whose
/// software ends at 1080 and whose 160 kB arrive at 1240. From there A would take device 1 another 500, until
/// 1740. Loaded from the host, behind B, it arrives at 1240 too: 1240 + 2000 + 500 for C, and nothing between
/// devices.
TEST(Simulation, LoadsFromTheHostWhatAPeerWouldBringLater) {
  Machine m = machine(1, 2);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.runtime.copy_overhead_s = 500e-6;
  const auto found = results(two_columns, m);
  EXPECT_NEAR(found[0], 3740, kPrecision);
  EXPECT_EQ(found[1], 0);
}

/// B and A in copies of their own, software 50 each, one after the other; 50 more for C.
/// 80 + 50 + 50 + 2000 + 50.
TEST(Simulation, SoftwareOfCopiesIsSerial) {
  Machine m = machine(1, 1);
  m.platform.runtime.copy_overhead_s = 50e-6;
  EXPECT_NEAR(micros(one_product, m, {{"copy_batch_bytes", "0"}}), 2230, kPrecision);
  EXPECT_NEAR(micros(one_product, m), 2230, kPrecision);  // per tile, whatever shares a copy
}

/// B's copy from unpinned memory takes 80 kB / 1 GB/s and keeps the manager: A's copy over the link, 80 too,
/// starts behind it. 80 + 80 + 80 + 2000. Were A pinned and the manager free, they would end together, 80
/// earlier.
TEST(Simulation, ACopyFromUnpinnedMemoryBlocksTheManager) {
  Machine m = machine(1, 1);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.runtime.unpinned.generated_bytes_per_s = 1e9;
  EXPECT_NEAR(micros(one_product, m, {{"copy_batch_bytes", "0"}}), 2240, kPrecision);
  EXPECT_NEAR(micros(one_product, m), 2240, kPrecision);
  m.platform.runtime.unpinned.generated_bytes_per_s = 5e9;  // no faster than the link
  EXPECT_NEAR(micros(one_product, m), 2240, kPrecision);
}

/// As MessageBetweenNodes; the tile that came is then copied in 80 kB / 1 GB/s before both kernels.
TEST(Simulation, ReceivedTilesMayLieInUnpinnedMemory) {
  Machine m = machine(2, 1);
  m.platform.network.message = {10e-6, 20e6};
  m.platform.runtime.unpinned.received_bytes_per_s = 1e9;
  EXPECT_NEAR(micros(dense({100}, {100, 100}, {100, 100}), m), 8090, kPrecision);
}

/// Each rank has one of two tiles of A and needs both, k = 0 first. Rank 1 gets it after 10 + 80 kB at 20
/// MB/s = 4010; then two kernels.
TEST(Simulation, MessageBetweenNodes) {
  Machine m = machine(2, 1);
  m.platform.network.message = {10e-6, 20e6};
  EXPECT_NEAR(micros(dense({100}, {100, 100}, {100, 100}), m), 8010, kPrecision);
}

/// As MessageBetweenNodes, where a tile from the host takes 80 kB at 1 GB/s = 80. The first tile of B comes
/// long before the message. Behind it come in one copy its tile of A, and the second ones of B and A: 240. A
/// tile that came to the device itself takes no time, and the two others come beside the first kernel. Own
/// tiles leave from the host at 20 MB/s; the device takes them at 16, in 5000.
TEST(Simulation, MessagesComeToDevices) {
  Machine m = machine(2, 1);
  m.platform.network.message = {10e-6, 20e6};
  m.platform.links.host_to_device = {0, 1e9};
  const Contraction problem = dense({100}, {100, 100}, {100, 100});
  EXPECT_NEAR(micros(problem, m), 8250, kPrecision);
  m.platform.messages = "device";
  std::vector<double> found = results(problem, m);
  EXPECT_NEAR(found.at(0), 8010, kPrecision);
  EXPECT_EQ(found.at(1), 160e3);  // a tile on each rank, from where it came to
  m.platform.network.device_message = {2e-6, 16e6};
  EXPECT_NEAR(micros(problem, m), 9010, kPrecision);
}

/// 100 before the message leaves and 100 after it came.
TEST(Simulation, SoftwareOfMessagesOnBothSides) {
  Machine m = machine(2, 1);
  m.platform.network.message = {10e-6, 20e6};
  m.platform.runtime.message_overhead_s = 100e-6;
  EXPECT_NEAR(micros(dense({100}, {100, 100}, {100, 100}), m), 8210, kPrecision);
}

/// Parts of the critical path of the rank that ends last, in us.
Path critical_path_of(const Contraction& problem, const Machine& on) {
  const auto numbers = run_isolated([&] {
    const SimulationResult result = simulate(make_plan(problem, on, {}), problem, on);
    const auto last = std::max_element(result.ranks.begin(), result.ranks.end(),
                                       [](const auto& l, const auto& r) { return l.finish_s < r.finish_s; });
    std::vector<double> parts;
    for (const auto& cause : last->critical.parts) parts.insert(parts.end(), cause.begin(), cause.end());
    return parts;
  });
  Path path;
  for (std::size_t n = 0; n < numbers.size(); ++n) path.parts[n / kParts][n % kParts] = numbers[n] / kMicro;
  return path;
}

/// The path to the end of rank 1: 200 of software and 4010 on the wire for one message, then two kernels, of
/// which the first one is queued before the second.
TEST(Simulation, SoftwareIsApartFromTheWire) {
  Machine m = machine(2, 1);
  m.platform.network.message = {10e-6, 20e6};
  m.platform.runtime.message_overhead_s = 100e-6;
  const Path path = critical_path_of(dense({100}, {100, 100}, {100, 100}), m);
  EXPECT_NEAR(path.seconds(Cause::network, Part::software), 200, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::network, Part::latency_bound), 4010, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::kernel, Part::work), 2000, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::kernel, Part::latency_bound), 2000, kPrecision);
  EXPECT_NEAR(path.total(), 8210, kPrecision);
}

/// As TwoDevicesShareTheSocket: 160 kB would take 160 alone and take 200, 80 kB back 50 and take 100.
TEST(Simulation, SharingALinkIsApartFromThePiece) {
  Machine m = machine(1, 2);
  m.platform.links.host_to_device = {0, 1e9};
  m.platform.links.socket_host_to_device_bytes_per_s = 1.6e9;
  const Path path = critical_path_of(apart, m);
  EXPECT_NEAR(path.seconds(Cause::generate, Part::latency_bound), 80, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::h2d, Part::work), 40, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::h2d, Part::latency_bound), 160, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::d2h, Part::work), 50, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::d2h, Part::latency_bound), 50, kPrecision);
}

/// Three tiles on one core: two are queued, the third is what the device waits for; then one kernel each,
/// which only the last one of delays the end.
TEST(Simulation, WaitingForACoreIsApartFromThePiece) {
  Machine m = machine(1, 1);
  m.platform.cores_per_socket = 1;
  m.platform.generation_bytes_per_s_per_core = 10e6;
  const Path path = critical_path_of(dense({100}, {100}, {100, 100, 100}), m);
  EXPECT_NEAR(path.seconds(Cause::generate, Part::work), 16000, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::generate, Part::latency_bound), 8000, kPrecision);
  EXPECT_NEAR(path.seconds(Cause::kernel), 2000, kPrecision);
}

/// Ranks of one node use its own link.
TEST(Simulation, MessageInsideANode) {
  Machine m = machine(2, 1, 2);
  m.platform.network.message = {1, 1};
  m.platform.links.message = {10e-6, 20e6};
  EXPECT_NEAR(micros(dense({100}, {100, 100}, {100, 100}), m), 8010, kPrecision);
}

/// Two nodes with two ranks each in one grid row. Columns 0 and 1 of B are empty, so ranks 0 and 1 (node 0)
/// have nothing to do but send: A(0,0) to rank 2 for B(0,2), A(0,1) to rank 3 for B(1,3). Each rank could
/// send at 20 MB/s, the node at 30: 80 kB at 15 MB/s = 5333.33. 10 + 5333.33 + 2000.
TEST(Simulation, RanksOfANodeShareItsInjection) {
  const Tiling one = Tiling::from_sizes({100});
  const Contraction problem{"",
                            one,
                            Tiling::uniform(400, 100),
                            Tiling::uniform(200, 100),
                            Shape::dense(1, 2),
                            Shape(2, 4, {{0, 2}, {1, 3}}),
                            Shape(1, 4, {{0, 2}, {0, 3}}),
                            0,
                            false,
                            Precision::f64,
                            {Source::given, Source::generated}};
  Machine m = machine(4, 1, 2);
  m.platform.network.message = {10e-6, 20e6};
  m.platform.network.node_injection_bytes_per_s = 30e6;
  EXPECT_NEAR(micros(problem, m), 10 + 16000.0 / 3 + 2000, kPrecision);
  m.platform.network.node_injection_bytes_per_s = 50e6;  // now the ranks' own 20 MB/s limit
  EXPECT_NEAR(micros(problem, m), 10 + 4000 + 2000, kPrecision);
  // All four on one node: the same of its memory.
  m.ranks_per_node = 4;
  m.platform.links.message = {10e-6, 20e6};
  EXPECT_NEAR(micros(problem, m), 10 + 4000 + 2000, kPrecision);
  m.platform.links.node_message_bytes_per_s = 30e6;
  EXPECT_NEAR(micros(problem, m), 10 + 16000.0 / 3 + 2000, kPrecision);
}

/// Eight tiles of B on two cores at 10 MB/s: 8000 each, so pairs are ready after 8000, 16000, 24000, 32000;
/// the last two kernels follow: 36000.
TEST(Simulation, GenerationOnTheCores) {
  Machine m = machine(1, 1);
  m.platform.cores_per_socket = 2;
  m.platform.generation_bytes_per_s_per_core = 10e6;
  EXPECT_NEAR(micros(dense({100}, {100}, std::vector<std::int64_t>(8, 100)), m), 36000, kPrecision);
}

/// One tile of B of 500 x 1000 numbers, 4 MB, in parts of 1 MB at least: four cores at 10 MB/s make it in
/// 100,000 and three, 1.33 MB each, in 133,333; one in 400,000. The product follows: 1e8 flop.
TEST(Simulation, CoresMakeALargeTileTogether) {
  Machine m = machine(1, 1);
  m.platform.generation_bytes_per_s_per_core = 10e6;
  const Contraction large = dense({100}, {1000}, {500});
  for (const int cores : {1, 2, 4, 16}) {
    m.platform.cores_per_socket = cores;
    EXPECT_NEAR(micros(large, m), 4e5 / std::min(cores, 4) + 1e5, kPrecision) << cores << " cores";
  }
  m.platform.cores_per_socket = 3;  // 166,667 numbers
  EXPECT_NEAR(micros(large, m), 166667 * 8 / 10.0 + 1e5, kPrecision);
}

/// The same on cores, which take 10 for each operation and 5 for each part. One core then computes.
TEST(Simulation, CoresThatComputeMakeALargeTileTogether) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 4;
  m.platform.generation_bytes_per_s_per_core = 10e6;
  m.platform.runtime.operation_overhead_s = 10e-6;
  m.platform.runtime.product_overhead_s = 5e-6;
  EXPECT_NEAR(micros(dense({100}, {1000}, {500}), m), 1e5 + 15 + 1e5 + 15, kPrecision);
}

Contraction from_file(Contraction problem) {
  problem.sources.b = Source::in_file;
  return problem;
}

/// A node reads at 10 MB/s, a tile in 8000. On one node the second rank's tile comes after 16,000, on two
/// after 8000; a product follows.
TEST(Simulation, RanksOfANodeReadTheirTilesOneAfterTheOther) {
  for (const int ranks_per_node : {1, 2}) {
    Machine m = machine(2, 1, ranks_per_node);
    m.platform.file_bytes_per_s_per_node = 10e6;
    EXPECT_NEAR(micros(from_file(two_columns), m), ranks_per_node * 8000 + 2000, kPrecision);
  }
}

/// 4 MB at 10 MB/s, however many cores there are; the product follows: 1e8 flop.
TEST(Simulation, ALargeTileIsReadInOnePiece) {
  Machine m = machine(1, 1);
  m.platform.cores_per_socket = 4;
  m.platform.file_bytes_per_s_per_node = 10e6;
  EXPECT_NEAR(micros(from_file(dense({100}, {1000}, {500})), m), 4e5 + 1e5, kPrecision);
}

/// Cores multiply while one of them waits for the file: four tiles after 80,000, 160,000, 240,000 and
/// 320,000. (Of smaller ones a core takes several at once.) A product takes 20,000.
TEST(Simulation, CoresMultiplyWhileAnotherReads) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.file_bytes_per_s_per_node = 10e6;
  EXPECT_NEAR(micros(from_file(dense({100}, {1000}, std::vector<std::int64_t>(4, 100))), m), 340000,
              kPrecision);
}

/// A core reads at 4 MB/s, the node at 10: two cores read two tiles in 20,000 (8 of the node's 10 MB/s), four
/// cores four in 32,000, the time of the node. The last product follows.
TEST(Simulation, ACoreReadsNoFasterThanItCan) {
  Machine m = machine(1, 1);
  m.platform.file_bytes_per_s_per_node = 10e6;
  m.platform.file_bytes_per_s_per_core = 4e6;
  m.platform.cores_per_socket = 2;
  EXPECT_NEAR(micros(from_file(dense({100}, {100}, {100, 100})), m), 20000 + 4000, kPrecision);
  m.platform.cores_per_socket = 4;
  EXPECT_NEAR(micros(from_file(dense({100}, {100}, std::vector<std::int64_t>(4, 100))), m), 32000 + 2000,
              kPrecision);
}

TEST(Simulation, RefusesAFileOfUnknownSpeed) {
  const Machine m = machine(1, 1);
  const Contraction problem = from_file(one_product);
  try {
    simulate(make_plan(problem, m, {}), problem, m, {});
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("and set platform.file.bandwidth="), std::string::npos) << e.what();
  }
}

const Contraction four_columns = dense({100}, {100, 100, 100, 100}, {100});

/// Launches take 10. Four products at once after 80: 10 + 8000, or four times 10 + 2000, or three and one.
TEST(Simulation, ALaunchOfSeveralPaysItsLatencyOnce) {
  Machine m = machine(1, 1);
  m.platform.device.kernel.latency_s = 10e-6;
  EXPECT_NEAR(micros_in_batches(four_columns, m, 4), 8090, kPrecision);
  EXPECT_NEAR(micros_in_batches(four_columns, m, 1), 8120, kPrecision);
  EXPECT_NEAR(micros_in_batches(four_columns, m, 3), 8100, kPrecision);
}

/// One core makes a tile each 80, and each is for another product. Launches of two wait for two: 160 + 2 *
/// (10 + 4000), also where an activity may hold as many.
TEST(Simulation, CoarseGroupsOfTheBatchesSizeChangeNothing) {
  Contraction four_apart{"",
                         Tiling::uniform(100, 100),
                         Tiling::uniform(400, 100),
                         Tiling::uniform(400, 100),
                         Shape::dense(1, 4),
                         Shape(4, 4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
                         Shape::dense(1, 4),
                         0};
  four_apart.sources.b = Source::generated;
  Machine m = machine(1, 1);
  m.platform.cores_per_socket = 1;
  m.platform.device.kernel.latency_s = 10e-6;
  EXPECT_NEAR(micros_in_batches(four_apart, m, 2), 8180, kPrecision);
  EXPECT_NEAR(micros_in_batches(four_apart, m, 2, 2), 8180, kPrecision);
}

/// Coarse groups are cut into the plan's launches: three and one.
TEST(Simulation, CoarseGroupsAreCutIntoLaunches) {
  Machine m = machine(1, 1);
  m.platform.device.kernel.latency_s = 10e-6;
  EXPECT_NEAR(micros_in_batches(four_columns, m, 3, 1000), 8100, kPrecision);
  EXPECT_NEAR(micros_in_batches(four_columns, m, 1, 1000), 8120, kPrecision);
}

/// 2 Gflop/s and 30 to start in launches of several: 80 + 30 + 4 x 1000; or 80 + 30 + 3 x 1000 + 10 + 2000.
TEST(Simulation, BatchesHaveACurveOfTheirOwn) {
  Machine m = machine(1, 1);
  m.platform.device.kernel.latency_s = 10e-6;
  m.platform.device.batched = {.rate_flops_per_s = 2e9, .latency_s = 30e-6};
  EXPECT_NEAR(micros_in_batches(four_columns, m, 4), 4110, kPrecision);
  EXPECT_NEAR(micros_in_batches(four_columns, m, 3), 5120, kPrecision);
}

/// Two products for one tile of C follow each other in launches of their own: 80 + 2 x (10 + 2000).
TEST(Simulation, ProductsOfOneTileAreNotLaunchedTogether) {
  Machine m = machine(1, 1);
  m.platform.device.kernel.latency_s = 10e-6;
  m.platform.device.batched = {.rate_flops_per_s = 2e9, .latency_s = 30e-6};
  EXPECT_NEAR(micros_in_batches(dense({100}, {100}, {100, 100}), m, 2), 4100, kPrecision);
}

/// 80 kB made at 0.1 GB/s take 800, and 10 for the launch: both tiles in one, or one after the other. Then
/// two kernels.
TEST(Simulation, GenerationOnTheDevice) {
  Machine m = machine(1, 1);
  m.platform.device.kernel.latency_s = 10e-6;
  m.platform.generation_bytes_per_s_on_device = 0.1e9;
  EXPECT_NEAR(micros(two_columns, m), 1610 + 4020, kPrecision);
  EXPECT_NEAR(micros(two_columns, m, {{"copy_batch_bytes", "0"}}), 1620 + 4020, kPrecision);
}

/// Half the bytes, and a curve of their own: 40 + 1000.
TEST(Simulation, SinglePrecision) {
  Machine m = machine(1, 1);
  m.platform.device.single.rate_flops_per_s = 2e9;
  Contraction problem = one_product;
  problem.precision = Precision::f32;
  EXPECT_NEAR(micros(problem, m), 1040, kPrecision);
}

/// A tile of B takes 160, a product four times 2000, or with the factor of the curve 0.9 times that.
TEST(Simulation, ComplexProducts) {
  Machine m = machine(1, 1);
  Contraction problem = one_product;
  problem.complex_elements = true;
  EXPECT_NEAR(micros(problem, m), 160 + 8000, kPrecision);
  m.platform.device.kernel.complex_factor = 0.9;
  EXPECT_NEAR(micros(problem, m), 160 + 7200, kPrecision);
  EXPECT_NEAR(micros(one_product, m), 2080, kPrecision);
}

TEST(Simulation, RefusesAPrecisionWithoutFigures) {
  Contraction problem = one_product;
  Machine m = machine(1, 1);
  m.platform.device.single = {};
  const Plan plan = make_plan(problem, m, {});
  problem.precision = Precision::f32;
  EXPECT_THROW(simulate(plan, problem, m), InputError);
}

TEST(Simulation, NoiseDependsOnTheSeedAlone) {
  Machine m = machine(1, 1);
  m.platform.links.host_to_device = {10e-6, 1e9};
  const double quiet = micros(one_product, m, {}, 1);
  EXPECT_EQ(micros(one_product, m, {}, 2), quiet);
  for (double Noise::*kind : {&Noise::kernel, &Noise::link}) {
    Machine noisy = m;
    noisy.platform.noise.*kind = 0.1;
    const double first = micros(one_product, noisy, {}, 1);
    EXPECT_EQ(micros(one_product, noisy, {}, 1), first);
    EXPECT_NE(micros(one_product, noisy, {}, 2), first);
    EXPECT_NE(first, quiet);
  }
}

/// Random machines and plans: all products done, and the critical path explains the whole time of each rank.
/// The staging area is full most of the time then, and every device must get its share of it.
TEST(Simulation, FasterGenerationTakesNoLonger) {
  const Contraction problem = build_contraction(load_problem("c65-v3"));
  const auto seconds = [&](const std::string& rate) {
    const Platform summit = load_platform("summit", {"platform.generation.rate=" + rate});
    return micros(problem, make_machine(summit, {.nodes = {}, .ranks = {}, .gpus = 3})) * kMicro;
  };
  EXPECT_LE(seconds("10e9"), 1.02 * seconds("1e9"));
}

TEST(Simulation, CausesAddUpOnRandomPlans) {
  int runs = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c = seed % 2 == 0 ? random_case(seed) : random_local_case(seed);
    c.machine.platform.device.memory_bytes *= 3;
    Random random(seed);
    const auto link = [&] { return LinkModel{1e-6 * random.real(), 1e6 * (1 + 9 * random.real())}; };
    Platform& p = c.machine.platform;
    p.links = {link(), link(), 1e7 * random.real(), link(), link(), link()};
    p.network = {link(), 1e7 * random.real()};
    p.runtime.copy_overhead_s = 1e-6 * random.real();
    p.runtime.message_overhead_s = 1e-6 * random.real();
    if (seed % 3 == 0)
      p.runtime.unpinned = {1e7 * random.real(), 1e7 * random.real(), 1e7 * random.real(),
                            1e7 * random.real()};
    p.noise = {0.05, 0.05};
    if (seed % 4 == 0) p.device.kind = DeviceKind::core;
    try {
      make_plan(c.problem, c.machine, c.settings);
    } catch (const InputError&) {
      continue;
    }
    ++runs;
    const auto numbers = run_isolated([&] {
      const Plan plan = make_plan(c.problem, c.machine, c.settings);
      const SimulationResult result = simulate(plan, c.problem, c.machine);
      double kernels = 0;
      double most = 0;
      for (const RankStatistics& rank : result.ranks) {
        for (const DeviceStatistics& device : rank.devices) kernels += static_cast<double>(device.kernels);
        most = std::max(most, std::abs(rank.critical.total() - rank.finish_s));
      }
      return std::vector<double>{kernels - static_cast<double>(verify(plan, c.problem).gemms), most,
                                 result.makespan_s};
    });
    EXPECT_EQ(numbers.at(0), 0);
    EXPECT_LE(numbers.at(1), 1e-6 * numbers.at(2));
  }
  EXPECT_GE(runs, 20);
}

/// With a stop behind the end nothing changes; before it there is no result.
TEST(Simulation, StopsWhereNobodyIsInterested) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c = random_case(2 * seed);
    c.machine.platform.device.memory_bytes = 1 << 20;
    const auto run = [&](const SimulationOptions& options) {
      return run_isolated([&] {
        const SimulationResult result =
            simulate(make_plan(c.problem, c.machine, c.settings), c.problem, c.machine, options);
        return std::vector<double>{result.stopped ? 1.0 : 0.0, result.makespan_s};
      });
    };
    const double makespan_s = run({}).at(1);
    if (makespan_s == 0) continue;
    EXPECT_EQ(run({.stop_s = 2 * makespan_s}), (std::vector<double>{0, makespan_s}));
    EXPECT_EQ(run({.stop_s = makespan_s / 2}), (std::vector<double>{1, 0}));
    EXPECT_EQ(run({.stop_products = 1'000'000}), (std::vector<double>{0, makespan_s}));
    EXPECT_EQ(run({.stop_products = 1}), (std::vector<double>{1, 0}));
  }
}

/// A plan for more ranks or devices than the machine has.
TEST(Simulation, RefusesAPlanForAnotherMachine) {
  const Plan plan = make_plan(two_columns, machine(2, 2), {});
  EXPECT_THROW(simulate(plan, two_columns, machine(1, 2)), InputError);
  EXPECT_THROW(simulate(plan, two_columns, machine(2, 1)), InputError);
}

}  // namespace
}  // namespace foretile::simulation_test
