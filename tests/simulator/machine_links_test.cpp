// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/machine_links.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "platforms/loader.hpp"
#include "simulator/noise.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::machine_links_test {
namespace {

/// Any tile of A whose home is `socket`.
TileRef tile_at(const Machine& machine, Rank rank, int socket) {
  TileRef tile{Matrix::a, 0};
  while (home_socket(machine, rank, tile) != socket) ++tile.id;
  return tile;
}

TEST(MachineLinks, TilesAreSpreadOverSockets) {
  const Machine machine = make_machine(load_platform("summit", {"platform.ranks_per_node=1"}), {});
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    int here = 0;
    for (TileId id = 0; id < 1000; ++id) here += home_socket(machine, 0, {matrix, id});
    EXPECT_NEAR(here, 500, 50);
  }
}

void expect_limits(double rank, double node, int ranks_per_node, double expected_rank, double expected_node) {
  const MessageLimits found = message_limits({{0, rank}, node}, ranks_per_node);
  EXPECT_DOUBLE_EQ(found.rank_bytes_per_s, expected_rank);
  EXPECT_DOUBLE_EQ(found.node_bytes_per_s, expected_node);
}

TEST(MachineLinks, LeavesOutLimitsOfNodes) {
  expect_limits(10, 19, 2, 9.5, 0);  // 5% below
  expect_limits(10, 18.9, 2, 10, 18.9);
  expect_limits(10, 20, 2, 10, 0);  // not reached
  expect_limits(10, 30, 2, 10, 0);
  expect_limits(10, 8, 2, 0, 8);  // one rank alone reaches the node's limit
  expect_limits(10, 8, 1, 8, 0);  // one rank: the smaller of both
  expect_limits(10, 12, 1, 10, 0);
  expect_limits(0, 12, 1, 12, 0);
  expect_limits(0, 12, 2, 0, 12);
  expect_limits(10, 0, 2, 10, 0);
}

/// Every link but the cores has a factor for the whole run.
TEST(MachineLinks, LinksHaveFactorsOfTheirOwn) {
  Machine machine = small_machine(4, 1, 1, 1, 2);
  machine.platform.network = {{0, 10e9}, 15e9};
  const std::vector<double> plain = MachineLinks(machine, 5).capacities();
  machine.platform.noise.bandwidth = 0.1;
  const std::vector<double> noisy = MachineLinks(machine, 5).capacities();
  ASSERT_EQ(plain.size(), noisy.size());
  int limited = 0;
  for (std::size_t link = 0; link < plain.size(); ++link) {
    const bool is_cores = link == static_cast<std::size_t>(MachineLinks(machine).cores(0)) ||
                          link == static_cast<std::size_t>(MachineLinks(machine).cores(2));
    const double factor = is_cores ? 1 : lasting_factor(0.1, 5, Noisy::link, link);
    EXPECT_DOUBLE_EQ(noisy[link], plain[link] * factor) << link;
    limited += plain[link] > kUnlimited ? 1 : 0;
  }
  EXPECT_GT(limited, 8);
}

TEST(MachineLinks, LatenciesAddTheBus) {
  Machine machine = small_machine(1, 4, 1, 1);
  machine.platform.sockets = 2;
  machine.platform.devices_per_socket = 2;
  machine.platform.links.host_to_device.latency_s = 1;
  machine.platform.links.device_to_host.latency_s = 2;
  machine.platform.links.peer.latency_s = 10;
  machine.platform.links.cross_socket.latency_s = 20;
  machine.platform.links.message.latency_s = 3;
  machine.platform.network.message.latency_s = 4;
  machine.ranks = 3;
  machine.ranks_per_node = 2;
  machine.devices_per_rank = 2;
  const MachineLinks of_three(machine);
  EXPECT_EQ(of_three.message(0, 1).latency_s, 3);
  EXPECT_EQ(of_three.message(1, 2).latency_s, 4);
  machine.ranks = 1;
  machine.ranks_per_node = 1;
  machine.devices_per_rank = 4;
  const TileRef near = tile_at(machine, 0, 0);
  const TileRef far = tile_at(machine, 0, 1);
  const MachineLinks links(machine);
  std::vector<double> latencies;
  for (const Copy& copy : {Copy{kHost, 1, {near}, 0}, Copy{kHost, 1, {far}, 0}, Copy{kHost, 2, {far}, 0},
                           Copy{2, kHost, {near}, 0}, Copy{0, 1, {far}, 0}, Copy{0, 2, {near}, 0}})
    latencies.push_back(links.copy(0, copy).latency_s);
  EXPECT_EQ(latencies, (std::vector<double>{1, 21, 1, 22, 10, 30}));
}

}  // namespace
}  // namespace foretile::machine_links_test
