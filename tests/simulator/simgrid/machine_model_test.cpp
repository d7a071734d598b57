// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simgrid/machine_model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "platforms/loader.hpp"
#include "simulator/simgrid/start.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::machine_model_test {
namespace {

namespace sg4 = simgrid::s4u;

struct Model {
  const MachineLinks& links;
  const MachineModel& hosts;
};

/// What `work` finds on a model of `machine`.
std::vector<double> on_model(const Machine& machine,
                             const std::function<std::vector<double>(const Model&)>& work) {
  return run_isolated([&] {
    const auto engine = start_simgrid();
    const MachineLinks links(machine);
    return work({links, MachineModel(*engine, machine, links)});
  });
}

/// Any tile of A whose home is `socket`.
TileRef tile_at(const Machine& machine, Rank rank, int socket) {
  TileRef tile{Matrix::a, 0};
  while (home_socket(machine, rank, tile) != socket) ++tile.id;
  return tile;
}

struct Wish {
  Rank rank = 0;
  MemoryPlace from = kHost;
  MemoryPlace to = kHost;
  int home = 0;  // of the tile in host memory
};

/// GB/s of each copy when all start at once and all are as long as each other.
std::vector<double> rates(const Machine& machine, const std::vector<Wish>& wishes) {
  return on_model(machine, [&](const Model& model) {
    constexpr double kBytes = 1e9;
    std::vector<double> found(wishes.size());
    std::vector<sg4::CommPtr> comms;
    sg4::Activity::on_completion_cb([&found](const sg4::Activity& ended) {
      *ended.get_data<double>() = kBytes / sg4::Engine::get_clock() / 1e9;
    });
    for (std::size_t n = 0; n < wishes.size(); ++n) {
      const Wish& w = wishes[n];
      const Route route = model.links.copy(w.rank, {w.from, w.to, {tile_at(machine, w.rank, w.home)}, 0});
      comms.push_back(sg4::Comm::sendto_init(model.hosts.host(route.from), model.hosts.host(route.to)));
      comms.back()->set_payload_size(static_cast<std::uint64_t>(kBytes));
      comms.back()->set_data(&found[n]);
    }
    for (const sg4::CommPtr& comm : comms) comm->start();
    sg4::Engine::get_instance()->run();
    return found;
  });
}

void expect_rates(const Machine& machine, const std::vector<Wish>& wishes,
                  const std::vector<double>& expected) {
  const std::vector<double> found = rates(machine, wishes);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(found[n], expected[n], 0.01) << n;
}

Machine summit_node(int ranks) {
  return make_machine(load_platform("summit", {"platform.ranks_per_node=" + std::to_string(ranks)}), {});
}

/// Loads of devices 0 to `devices` - 1 of a rank that spans the node, each from its own socket or each from
/// the other.
std::vector<Wish> loads(int devices, bool far) {
  std::vector<Wish> wishes;
  for (int d = 0; d < devices; ++d) wishes.push_back({0, kHost, d, (d < 3) == far ? 1 : 0});
  return wishes;
}

// The measured rates are those that platforms/summit.toml quotes: arXiv 2010.10378.

TEST(MachineModel, OneGpuOfSummit) {
  expect_rates(summit_node(1), {{0, kHost, 0, 0}}, {47.7});
  expect_rates(summit_node(1), {{0, 0, kHost, 0}}, {48.7});
  expect_rates(summit_node(1), {{0, kHost, 0, 1}}, {41.3});
  expect_rates(summit_node(1), {{0, 4, kHost, 0}}, {41.3});
}

/// Three GPUs of a socket 93 GB/s together, all six 29 to 33 each.
TEST(MachineModel, AllGpusOfSummit) {
  expect_rates(summit_node(1), loads(3, false), {31, 31, 31});
  expect_rates(summit_node(1), loads(6, false), {31, 31, 31, 31, 31, 31});
}

/// 41.3 GB/s shared by three, in either direction of the bus.
TEST(MachineModel, FarTilesContendForTheBus) {
  expect_rates(summit_node(1), loads(6, true), std::vector<double>(6, 41.3 / 3));
}

/// Memory gives 170 GB/s to loads and stores together, where the socket's limits would allow 2 x 93.
TEST(MachineModel, LoadsAndStoresShareMemory) {
  std::vector<Wish> wishes;
  for (int d = 0; d < 3; ++d) {
    wishes.push_back({0, kHost, d, 0});
    wishes.push_back({0, d, kHost, 0});
  }
  expect_rates(summit_node(1), wishes, std::vector<double>(6, 170.0 / 6));
  Machine unlimited = summit_node(1);
  unlimited.platform.memory_bandwidth_bytes_per_s = 0;
  expect_rates(unlimited, wishes, std::vector<double>(6, 31));
}

/// Of two ranks on a node each has a socket of its own, and its tiles are there.
TEST(MachineModel, TwoRanksKeepToTheirSockets) {
  const Machine machine = summit_node(2);
  for (TileId id = 0; id < 100; ++id) {
    EXPECT_EQ(home_socket(machine, 0, {Matrix::b, id}), 0);
    EXPECT_EQ(home_socket(machine, 1, {Matrix::b, id}), 1);
  }
  std::vector<Wish> wishes;
  for (int n = 0; n < 6; ++n) wishes.push_back({Rank::of(n / 3), kHost, n % 3, n / 3});
  expect_rates(machine, wishes, std::vector<double>(6, 31));
}

/// Each pair of one socket has bricks of its own, beside those to the host.
TEST(MachineModel, PeersOfASocketDoNotContend) {
  expect_rates(summit_node(1), {{0, 0, 1}, {0, 0, 2}, {0, 2, 1}, {0, kHost, 1, 0}}, {46.9, 46.9, 46.9, 47.7});
}

/// Across sockets a copy takes the way of host copies: the bus alone limits it, and with two stores of device
/// 0 under way it gets a third of 48.7.
TEST(MachineModel, PeersAcrossSocketsContendWithHostCopies) {
  expect_rates(summit_node(1), {{0, 0, 3}}, {41.3});
  expect_rates(summit_node(1), {{0, 0, 3}, {0, 0, kHost, 0}, {0, 0, kHost, 0}},
               std::vector<double>(3, 48.7 / 3));
}

/// A store gets nothing from a load of the same device when both share 60 GB/s; other devices are left alone.
TEST(MachineModel, DirectionsOfADeviceShareALink) {
  Machine machine = summit_node(1);
  machine.platform.links.both_ways_bytes_per_s = 60e9;
  expect_rates(machine, {{0, kHost, 0, 0}}, {47.7});
  expect_rates(machine, {{0, kHost, 0, 0}, {0, 0, kHost, 0}, {0, kHost, 1, 0}}, {30, 30, 47.7});
  // Device 0 to device 3 on the other socket, while 3 stores: they share the way out of 3's link and into it.
  expect_rates(machine, {{0, 0, 3}, {0, 3, kHost, 1}}, {30, 30});
}

/// Two loads over one link, one of them from the far socket: shared alike although their latencies differ.
TEST(MachineModel, LatencyDoesNotChangeTheShare) {
  Machine machine = summit_node(1);
  machine.platform.links.host_to_device.bandwidth_bytes_per_s = 1e9;
  expect_rates(machine, {{0, kHost, 0, 0}, {0, kHost, 0, 1}}, {0.5, 0.5});
}

}  // namespace
}  // namespace foretile::machine_model_test
