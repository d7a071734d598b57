// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/machine.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile::machine_test {
namespace {

MachineSize gpus(int number) {
  return {.nodes = {}, .ranks = {}, .gpus = number};
}
MachineSize nodes(int number) {
  return {.nodes = number, .ranks = {}, .gpus = {}};
}
MachineSize ranks(int number) {
  return {.nodes = {}, .ranks = number, .gpus = {}};
}

TEST(Machine, SummitWithOneRankPerSocket) {
  // 108 GPUs, 3 per rank: 36 ranks, 2 per node: 18 nodes.
  const Machine m = make_machine(load_platform("summit"), gpus(108));
  EXPECT_EQ(m.ranks, 36);
  EXPECT_EQ(m.devices_per_rank, 3);
  EXPECT_EQ(m.nodes(), 18);
  EXPECT_EQ(m.devices(), 108);
  EXPECT_EQ(m.node_of(5), 2);
  EXPECT_EQ(m.socket_of(4, 2), 0);  // first rank of node 2
  EXPECT_EQ(m.socket_of(5, 0), 1);
  EXPECT_EQ(m.sockets_of(4), std::pair(0, 1));
  EXPECT_EQ(m.sockets_of(5), std::pair(1, 2));
  EXPECT_EQ(m.cores_per_rank(), 21);
  EXPECT_EQ(m.host_bytes_per_rank(), 256'000'000'000);
  EXPECT_EQ(m.host_bytes_beside_devices(), 256'000'000'000);  // GPUs have memory of their own
}

/// Six GPUs a node, 3 of each rank: rank 3 is the second of node 1.
TEST(Machine, SpeedsAreThoseOfTheNodesOrOfTheRun) {
  Machine m = make_machine(load_platform("summit"), nodes(2));
  EXPECT_EQ(m.speed_of(Rank::of(3), Device::of(2)), 1);
  m.platform.device_speeds = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  EXPECT_EQ(m.speed_of(Rank::of(3), Device::of(2)), 0.6);
  EXPECT_EQ(m.speed_of(Rank::of(2), Device::of(0)), 0.1);
  m.device_speeds.assign(12, 1.5);
  m.device_speeds[11] = 2;
  EXPECT_EQ(m.speed_of(Rank::of(3), Device::of(2)), 2);
}

TEST(Machine, SummitWithOneRankPerNode) {
  const Machine m = make_machine(load_platform("summit", {"platform.ranks_per_node=1"}), nodes(18));
  EXPECT_EQ(m.ranks, 18);
  EXPECT_EQ(m.devices_per_rank, 6);
  EXPECT_EQ(m.socket_of(7, 2), 0);
  EXPECT_EQ(m.socket_of(7, 3), 1);
  EXPECT_EQ(m.sockets_of(7), std::pair(0, 2));
  EXPECT_EQ(m.cores_per_rank(), 42);
  EXPECT_EQ(m.host_bytes_per_rank(), 512'000'000'000);
}

/// Three ranks on two sockets: the middle one has half of either.
TEST(Machine, SocketsInParts) {
  const Machine m = make_machine(load_platform("summit", {"platform.ranks_per_node=3"}), nodes(1));
  EXPECT_EQ(m.sockets_of(0), std::pair(0, 1));
  EXPECT_EQ(m.sockets_of(1), std::pair(0, 2));
  EXPECT_EQ(m.sockets_of(2), std::pair(1, 2));
}

/// Each of a rank's 3 GPUs keeps one of its 21 cores; one GPU alone leaves 20.
TEST(Machine, CoresBesideGpus) {
  EXPECT_EQ(make_machine(load_platform("summit"), nodes(1)).cores_beside_gpus(), 18);
  EXPECT_EQ(make_machine(load_platform("summit"), gpus(1)).cores_beside_gpus(), 20);
  EXPECT_EQ(make_machine(load_platform("raven"), nodes(1)).cores_beside_gpus(), 0);
}

TEST(Machine, FewerGpusThanARankHas) {
  const Machine m = make_machine(load_platform("summit"), gpus(2));
  EXPECT_EQ(m.ranks, 1);
  EXPECT_EQ(m.devices(), 2);
}

TEST(Machine, FourRanksOnTwoCores) {
  // 8 GB: 6.4 usable, 1.6 per rank, of which its one device may keep half.
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"});
  const Machine m = make_machine(parse_platform(text, "here"), ranks(4));
  EXPECT_EQ(m.nodes(), 1);
  EXPECT_EQ(m.devices_per_rank, 1);
  EXPECT_EQ(m.cores_per_rank(), 1);
  EXPECT_EQ(m.socket_of(3, 0), 0);
  EXPECT_EQ(m.host_bytes_per_rank(), 1'600'000'000);
  EXPECT_EQ(m.host_bytes_beside_devices(), 800'000'000);
  EXPECT_EQ(m.platform.device.memory_bytes, 800'000'000);
}

/// Two sockets of 6.4 GB: half of them for four devices.
TEST(Machine, DevicesOfCoresShareTheMemoryOfAllSockets) {
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"});
  Platform platform = parse_platform(text, "here");
  platform.sockets = 2;
  platform.device.memory_bytes = 6'400'000'000;
  const Machine m = make_machine(platform, ranks(4));
  EXPECT_EQ(m.platform.device.memory_bytes, 1'600'000'000);
  EXPECT_EQ(m.host_bytes_per_rank(), 3'200'000'000);
}

TEST(Machine, FourLogicalDevicesPerRankOnTwoCores) {
  // 8 GB: 6.4 usable, half of it for 8 devices.
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"});
  const Machine m = make_machine(parse_platform(text, "here", {"platform.socket.devices=8"}), ranks(2));
  EXPECT_EQ(m.devices_per_rank, 4);
  EXPECT_EQ(m.cores_per_rank(), 1);
  EXPECT_EQ(m.platform.device.memory_bytes, 400'000'000);
  EXPECT_EQ(m.host_bytes_per_rank(), 3'200'000'000);
  EXPECT_EQ(m.host_bytes_beside_devices(), 1'600'000'000);
}

TEST(Machine, RefusesWhatDoesNotFit) {
  const Platform summit = load_platform("summit");
  EXPECT_THROW(make_machine(summit, gpus(4)), InputError);  // one rank and a third
  EXPECT_THROW(make_machine(summit, nodes(4609)), InputError);
  EXPECT_THROW(make_machine(summit, nodes(0)), InputError);
  EXPECT_THROW(make_machine(summit, ranks(-1)), InputError);
  for (const MachineSize& size : {nodes(2147483647), ranks(2147483647), gpus(2147483646)}) {
    EXPECT_THROW(make_machine(summit, size), InputError);
  }
  EXPECT_THROW(make_machine(summit, {.nodes = 1, .ranks = 2, .gpus = {}}), InputError);
}

/// All eight ranks share the one node, but count as two nodes of four once that is set.
TEST(Machine, PretendsNodesOfCores) {
  const MachineSize eight{.nodes = {}, .ranks = 8, .gpus = {}};
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 2'000'000'000, .host = "test"});
  const Machine plain = make_machine(parse_platform(text, "test"), eight);
  EXPECT_EQ(plain.counted_nodes(), 1);
  const Machine pretended = make_machine(parse_platform(text, "test", {"platform.ranks_per_node=4"}), eight);
  EXPECT_EQ(pretended.nodes(), 1);
  EXPECT_EQ(pretended.ranks_per_node, 8);
  EXPECT_EQ(pretended.counted_nodes(), 2);
  EXPECT_EQ(pretended.counted_node_of(3), 0);
  EXPECT_EQ(pretended.counted_node_of(4), 1);
  EXPECT_TRUE(parse_platform(pretended.platform.toml, "again").pretend_nodes);
}

}  // namespace
}  // namespace foretile::machine_test
