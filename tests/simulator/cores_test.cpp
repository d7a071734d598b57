// SPDX-License-Identifier: BSD-3-Clause
// Simulations of devices that are cores.
#include <gtest/gtest.h>

#include "simulator/simulation.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile::cores_test {
namespace {

/// Cores as devices, three ranks on two cores: each gets 2/3 of a core, for B (120) and the kernel (3000).
TEST(SimulationOnCores, RanksShareTooFewCores) {
  Machine m = machine(3, 1, 3);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.devices_per_socket = 2;
  EXPECT_NEAR(micros(dense({100}, {100, 100, 100}, {100}), m), 3120, kPrecision);
}

/// One rank on two cores that are two threads of one: alone it computes twice as fast, 40 + 1000.
TEST(SimulationOnCores, ACoreAloneMayBeFaster) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.solo_speedup = 2;
  EXPECT_NEAR(micros(one_product, m), 1040, kPrecision);
}

/// Core 1 has half of the rate of core 0: its product takes 4000 instead of 2000, after 80 for B.
TEST(SimulationOnCores, CoresMayHaveDifferentSpeeds) {
  Machine m = machine(1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.devices_per_socket = 2;
  m.platform.device_speeds = {1, 0.5};
  EXPECT_NEAR(micros(apart, m), 80 + 4000, kPrecision);
  m.device_speeds = {0.25, 2};  // of the run, in place of the platform's
  EXPECT_NEAR(micros(apart, m), 80 + 8000, kPrecision);
}

/// Two devices work from 0 to the end on two such cores, both at the plain rate: 80 + 2000.
TEST(SimulationOnCores, BusyNeighboursTakeTheGainAway) {
  Machine m = machine(1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.solo_speedup = 2;
  EXPECT_NEAR(micros(apart, m), 2080, kPrecision);
}

/// 30 after B was made and 30 after the product, before what comes next starts: 80 + 30 + 2000 + 30.
TEST(SimulationOnCores, HandOverBetweenProductsOnCores) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.product_overhead_s = 30e-6;
  EXPECT_NEAR(micros(one_product, m), 2140, kPrecision);
}

/// Device 1 has nothing to do, but the progress loop serves both: 80 + 40 + 2000 + 40.
TEST(SimulationOnCores, HandOverInARankWithSeveralDevices) {
  Machine m = machine(1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.product_overhead_s = 30e-6;
  m.platform.runtime.shared_product_overhead_s = 40e-6;
  EXPECT_NEAR(micros(one_product, m), 2160, kPrecision);
}

/// The progress loop takes 5 for the tile of B and 5 for the product: 80 + 5 + 2000 + 5.
TEST(SimulationOnCores, TheProgressLoopTakesTimeForEachOperation) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.operation_overhead_s = 5e-6;
  EXPECT_NEAR(micros(one_product, m), 2090, kPrecision);
}

/// Bookkeeping takes 10 for each of A and B and 20 for C: 80 + 40 + 2000.
TEST(SimulationOnCores, TilesThatComeTakeTimeOfACore) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.load_overhead_s = 10e-6;
  m.platform.runtime.store_overhead_s = 20e-6;
  EXPECT_NEAR(micros(one_product, m), 2120, kPrecision);
}

/// Tiles of 80 kB; a product takes half of its time with all tiles in the cache. The curve's products miss
/// 80/8 + 80 + 2 * 80 = 250 kB. The first one misses 80 + 80 + 2 * 80 = 320 kB and takes 2000 * (1 + 0.28/2)
/// = 2280; the second finds C, misses 160 kB and takes 2000 * (1 - 0.36/2) = 1640. The core makes both tiles
/// of B at once, which takes 160.
TEST(SimulationOnCores, TilesInTheCacheAreFaster) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.device.cache.bytes = 1'000'000;
  m.platform.device.cache.factors.fill(0.5);
  EXPECT_NEAR(micros(dense({100}, {100}, {100, 100}), m), 160 + 2280 + 1640, kPrecision);
  m.platform.device.cache.bytes = 200'000;  // C is gone when the second product starts
  EXPECT_NEAR(micros(dense({100}, {100}, {100, 100}), m), 160 + 2280 + 2280, kPrecision);
}

/// Two ranks on one core of a node have half of its cache each.
TEST(SimulationOnCores, RanksOnOneCoreShareItsCache) {
  Machine m = machine(2, 1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 1;
  m.platform.device.cache.factors.fill(0.5);
  const auto with = [&](std::int64_t bytes) {
    m.platform.device.cache.bytes = bytes;
    return micros(dense({100, 100}, {100, 100}, {100, 100}), m);
  };
  EXPECT_LT(with(2'000'000), with(800'000));
  EXPECT_NEAR(with(2'000'000), with(1'000'000), kPrecision);
}

/// Two ranks share one core of a node. Each sends a tile of A of 80 kB: both make B until 160 while all four
/// ends of the messages take 80 kB / 1 GB/s = 80 of the core. In all 2 * 80 for B, 4 * 80 for copies and 4 *
/// 2000 for products; the core is never idle, so the last rank ends at 160 + 320 + 8000.
TEST(SimulationOnCores, CopiesOfMessagesTakeTheCores) {
  Machine m = machine(2, 1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 1;
  m.platform.runtime.message_copy_bytes_per_s = 1e9;
  const Contraction problem = dense({100}, {100, 100}, {100, 100});
  const double with = micros(problem, m);
  m.platform.runtime.message_copy_bytes_per_s = 0;
  EXPECT_NEAR(with - micros(problem, m), 320, kPrecision);
}

/// Two ranks share one core; the tile that each gets from the other is there after 1000 and before 2000.
/// Until then each looks every 8000 for 200, a fortieth of the core, charged in pieces of 1000: from 0 to
/// 2000. Rank 1 begins with the tile that it gets, so it takes both its products as one operation of 3800,
/// whose end is a look; products of 1900 are too short. The core is never idle: 2 * 2000 / 40 + 200 later.
TEST(SimulationOnCores, LookingForMessagesTakesTheCores) {
  Machine m = machine(2, 1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 1;
  m.platform.links.message = {0, 76e3 / 1400e-6};
  const Contraction problem = dense({95}, {100, 100}, {100, 100});
  const double without = micros(problem, m);
  m.platform.runtime.look_overhead_s = 200e-6;
  EXPECT_NEAR(micros(problem, m) - without, 300, kPrecision);
}

/// Rank 0 has the only tile of A that rank 2 needs, that of k = 3; rank 1 passes it on. It comes to rank 1 at
/// 500, whose core works on its own tile until 800, and is sent on when the loop has seen it. Rank 2 is idle:
/// it sees the tile at once, at 1000 without a delay, and multiplies for 2000.
TEST(SimulationOnCores, AMessageIsSeenLateWhereAllCoresWork) {
  Machine m = machine(3, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 1;
  m.platform.network.message = {500e-6, 0};
  const Contraction problem{"",
                            Tiling::from_sizes({100}),
                            Tiling::from_sizes({100, 40, 100}),
                            Tiling::uniform(400, 100),
                            Shape(1, 4, {{0, 1}, {0, 3}}),
                            Shape(4, 3, {{3, 0}, {1, 1}, {3, 1}, {3, 2}}),
                            Shape::dense(1, 3)};
  const auto with_delay = [&](double seconds) {
    m.platform.runtime.polling_delay_s = seconds;
    return micros(problem, m, {{"strategy", "grid-3d"}, {"grid", "1x3x1"}, {"tree", "chain"}});
  };
  EXPECT_NEAR(with_delay(0), 3000, kPrecision);
  EXPECT_NEAR(with_delay(200e-6), 3200, kPrecision);
  // The core is idle before the delay is over: the loop sees it then.
  EXPECT_NEAR(with_delay(400e-6), 3300, kPrecision);
}

/// Nothing is expected, and the product of 1000 ends too soon to wake the loop: 40 + 1000.
TEST(SimulationOnCores, ARankAloneLooksForNothing) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.look_overhead_s = 200e-6;
  EXPECT_NEAR(micros(dense({100}, {100}, {50}), m), 1040, kPrecision);
}

/// A product of more than 2000 does: 160 + 4000 + 200.
TEST(SimulationOnCores, TheEndOfALongProductIsLookedAt) {
  Machine m = machine(1, 1);
  m.platform.device.kind = DeviceKind::core;
  m.platform.runtime.look_overhead_s = 200e-6;
  EXPECT_NEAR(micros(dense({100}, {100}, {200}), m), 4360, kPrecision);
}

/// On enough cores no rank waits, and copies to devices do not exist.
TEST(SimulationOnCores, CoresOfTheirOwn) {
  Machine m = machine(2, 1, 2);
  m.platform.device.kind = DeviceKind::core;
  m.platform.cores_per_socket = 2;
  m.platform.devices_per_socket = 2;
  m.platform.links.host_to_device = {1, 1};
  EXPECT_NEAR(micros(two_columns, m), 2080, kPrecision);
}

}  // namespace
}  // namespace foretile::cores_test
