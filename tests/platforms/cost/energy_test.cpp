// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/energy.hpp"

#include <gtest/gtest.h>

namespace foretile::energy_test {
namespace {

/// 3 nodes of 2 sockets with 5 cores and 2 GPUs each; the job has a rank for a node.
Machine machine() {
  Machine m;
  m.platform.sockets = 2;
  m.platform.cores_per_socket = 5;
  m.platform.devices_per_socket = 2;
  m.platform.device.kind = DeviceKind::gpu;
  m.platform.power = {100, 700, 400, 900};
  m.ranks = 3;
  m.devices_per_rank = 4;
  return m;
}

/// Idle: 3 x 400 W + 12 x 100 W = 2400 W, in 10 s 24 kJ. 20 core-seconds are 2 s of a node's 10 cores, 50
/// device-seconds 12.5 s of its 4 GPUs: 12.5 s x 500 W = 6.25 kJ. 50 device-seconds x 600 W = 30 kJ.
TEST(Energy, IdleAndBusy) {
  EXPECT_DOUBLE_EQ(idle_watts(machine()), 2400);
  EXPECT_DOUBLE_EQ(busy_joules(machine(), {10, 20, 50}), 36.25e3);
  EXPECT_DOUBLE_EQ(joules_of(machine(), {10, 20, 50}), 60.25e3);
}

/// 200 core-seconds are 20 s of a node's cores, more than 2.5 s of its GPUs: 20 s x 500 W + 10 s x 600 W.
TEST(Energy, ANodeIsAsBusyAsItsCoresOrItsGpus) {
  EXPECT_DOUBLE_EQ(busy_joules(machine(), {10, 200, 10}), 16e3);
}

/// In 10 s at most 3 nodes x 10 s x 500 W = 15 kJ of nodes and 12 x 10 s x 600 W = 72 kJ of GPUs.
TEST(Energy, BusyAllTheTimeAtMost) {
  EXPECT_DOUBLE_EQ(busy_joules(machine(), {10, 1e6, 0}), 15e3);
  EXPECT_DOUBLE_EQ(busy_joules(machine(), {10, 0, 1e6}), 87e3);
}

/// 2 of 4 GPUs of one node: the whole node counts, 400 W + 4 x 100 W.
TEST(Energy, NodesCountAsAWhole) {
  Machine m = machine();
  m.ranks = 1;
  m.devices_per_rank = 2;
  EXPECT_DOUBLE_EQ(idle_watts(m), 800);
}

/// 3 x 400 W alone; products of 20 s are 2 s of a node's cores.
TEST(Energy, WhereCoresAreTheDevices) {
  Machine m = machine();
  m.platform.device.kind = DeviceKind::core;
  m.platform.power = {0, 0, 400, 900};
  const EnergyUse least = least_use(m, 10, 20);
  EXPECT_EQ(least.busy_core_s, 20);
  EXPECT_DOUBLE_EQ(joules_of(m, least), 13e3);
  EXPECT_EQ(least_use(machine(), 10, 20).busy_device_s, 20);
}

TEST(Energy, NothingWherePowerIsNotKnown) {
  Machine m = machine();
  m.platform.power = {};
  EXPECT_EQ(joules_of(m, {10, 20, 50}), 0);
}

}  // namespace
}  // namespace foretile::energy_test
