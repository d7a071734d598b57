// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/machine_links.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "platforms/loader.hpp"
#include "simulator/fluid_solver.hpp"
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

/// Four MI300A of El Capitan: a message is a copy through shared memory at 10 GB/s, or is read over the link
/// of two of them at 128 GB/s.
TEST(MachineLinks, MessagesOfGpusInHostMemoryMayPassTheLinksOfTheNode) {
  const auto s_per_byte = [](const char* messages, int ranks_per_node) {
    const Machine machine =
        make_machine(load_platform("el-capitan", {std::string("platform.messages=") + messages,
                                                  fmt::format("platform.ranks_per_node={}", ranks_per_node)}),
                     {});
    return MachineLinks(machine).message(Rank::of(0), Rank::of(1), kHost, kHost).s_per_byte;
  };
  EXPECT_DOUBLE_EQ(s_per_byte("host", 4), 1 / 10e9);
  EXPECT_DOUBLE_EQ(s_per_byte("device", 4), 1 / 128e9);
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

/// Two hosts with two GPUs each; a card at the first GPU of either. 16 nodes in groups of 4 with leaves of 2.
const std::string wired = R"(name = "wired"
nodes = 16
sockets_per_node = 2
ranks_per_node = 4
[socket]
cores = 4
devices = 2
memory = "64 GB"
memory_bandwidth = "100 GB/s"
[device]
kind = "gpu"
memory = "8 GiB"
[device.kernel]
rate = "1 Tflop/s"
half_m = 10
half_n = 20
half_k = 30
latency = "5 us"
streams = 1
[copy]
latency = "10 us"
peer_latency = "15 us"
[link.host]
between = "host0..1-gpu0..3"
bandwidth = "20 GB/s"
[link.package]
between = "gpu0-gpu1 gpu2-gpu3"
bandwidth = "90 GB/s"
latency = "1 us"
[link.bus]
between = "host0-host1"
bandwidth = "40 GB/s"
[link.card]
between = "card0-gpu0 card1-gpu2"
bandwidth = "25 GB/s"
[message]
latency = "1 us"
bandwidth = "8 GB/s"
[network]
latency = "2 us"
cards = 2
card_bandwidth = "24 GB/s"
bandwidth = "6 GB/s"
device_latency = "4 us"
device_bandwidth = "23 GB/s"
[fabric]
type = "dragonfly+"
leaf_nodes = 2
leaf_bandwidth = "40 GB/s"
group_nodes = 4
group_bandwidth = "100 GB/s"
pair_bandwidth = "5 GB/s"
switch_latency = "100 ns"
[generation]
rate = "1 GB/s"
[runtime]
source = "none"
)";

Machine wired_machine(const std::vector<std::string>& settings = {}) {
  MachineSize size;
  size.nodes = 16;
  return make_machine(parse_platform(wired, "wired.toml", settings), size);
}

double gbytes_per_s(const Route& route) {
  return 1e-9 / route.s_per_byte;
}

int common(const Route& x, const Route& y) {
  int count = 0;
  for (const LinkId link : x.links()) count += static_cast<int>(std::ranges::count(y.links(), link));
  return count;
}

TEST(MachineLinks, CopiesTakeTheGraph) {
  const Machine machine = wired_machine({"platform.ranks_per_node=1"});
  const MachineLinks links(machine);
  const TileRef near = tile_at(machine, 0, 0), far = tile_at(machine, 0, 1);
  EXPECT_DOUBLE_EQ(gbytes_per_s(links.copy(0, {kHost, 1, {near}, 0})), 20);
  EXPECT_DOUBLE_EQ(links.copy(0, {kHost, 1, {far}, 0}).latency_s, 10e-6);
  EXPECT_DOUBLE_EQ(gbytes_per_s(links.copy(0, {2, 3, {near}, 0})), 90);
  EXPECT_DOUBLE_EQ(links.copy(0, {2, 3, {near}, 0}).latency_s, 16e-6) << "the link's own and that of a copy";
  EXPECT_DOUBLE_EQ(gbytes_per_s(links.copy(0, {1, 2, {near}, 0})), 20) << "by both hosts";
}

/// Ranks 0 and 1 share card 0, which is at GPU 0: their messages from host memory pass its link.
TEST(MachineLinks, MessagesTakeTheNearestCard) {
  const Machine machine = wired_machine();
  const MachineLinks links(machine);
  const Route first = links.message(Rank::of(0), Rank::of(4)),
              second = links.message(Rank::of(1), Rank::of(5));
  const Route other = links.message(Rank::of(2), Rank::of(6));
  EXPECT_DOUBLE_EQ(gbytes_per_s(first), 6);
  EXPECT_DOUBLE_EQ(first.latency_s, 2e-6) << "one leaf";
  EXPECT_EQ(common(first, second), 6) << "memory, GPU 0's link and the card on both nodes";
  EXPECT_EQ(common(first, other), 0);
  const Route copy = links.copy(Rank::of(0), {kHost, 0, {tile_at(machine, Rank::of(0), 0)}, 0});
  EXPECT_EQ(common(first, copy), 2) << "memory and GPU 0's link";
}

TEST(MachineLinks, MessagesFromDevicesPassNoHost) {
  const Machine machine = wired_machine();
  const MachineLinks links(machine);
  const Route route = links.message(Rank::of(0), Rank::of(4), 0, 0);
  EXPECT_DOUBLE_EQ(gbytes_per_s(route), 23);
  EXPECT_DOUBLE_EQ(route.latency_s, 4e-6);
  EXPECT_DOUBLE_EQ(gbytes_per_s(links.message(Rank::of(1), Rank::of(5), 0, 0)), 23) << "by GPU 0";
  const Route near = links.message(Rank::of(0), Rank::of(1), 0, 0);
  EXPECT_DOUBLE_EQ(gbytes_per_s(near), 90);
  EXPECT_DOUBLE_EQ(near.latency_s, 5e-6);
  EXPECT_DOUBLE_EQ(gbytes_per_s(links.message(Rank::of(0), Rank::of(1))), 8) << "from host memory";
}

/// Nodes 0 and 2 are at two leaves; 0 and 4 in two groups, whose pair has 5 GB/s.
TEST(MachineLinks, MessagesPassTheFabric) {
  const Machine machine = wired_machine();
  const MachineLinks links(machine);
  const Route leaves = links.message(Rank::of(0), Rank::of(8)),
              groups = links.message(Rank::of(0), Rank::of(16));
  EXPECT_DOUBLE_EQ(gbytes_per_s(leaves), 6);
  EXPECT_DOUBLE_EQ(leaves.latency_s, 2.2e-6);
  EXPECT_DOUBLE_EQ(gbytes_per_s(groups), 5);
  EXPECT_DOUBLE_EQ(groups.latency_s, 2.3e-6);
  const Route beside = links.message(Rank::of(6), Rank::of(22));  // of node 1 to node 5
  EXPECT_EQ(common(groups, beside), 5) << "leaf, group, pair, group, leaf";
  const Machine scattered = wired_machine({"platform.fabric.placement=scattered"});
  EXPECT_DOUBLE_EQ(gbytes_per_s(MachineLinks(scattered).message(Rank::of(0), Rank::of(4))), 5);
}

TEST(MachineLinks, RanksMayCrowdAtOneCard) {
  const Machine machine =
      wired_machine({"platform.network.cards_shared=true", "platform.network.cards_per_rank=2"});
  const MachineLinks links(machine);
  EXPECT_EQ(common(links.message(Rank::of(2), Rank::of(6)), links.message(Rank::of(3), Rank::of(7))), 6);
}

/// Each card has 24 GB/s and two ranks of 6; a leaf 40 and two nodes of 24; a group 100 and two leaves of 40;
/// a pair of groups 5.
TEST(MachineLinks, LinksThatNothingFillsDoNotLimit) {
  const auto left_out = [](const std::vector<std::string>& settings) {
    const Machine machine = wired_machine(settings);
    const MachineLinks links(machine);
    const std::vector<double> all = links.capacities(), limiting = links.limiting_capacities();
    std::map<double, int> count;  // by GB/s
    for (std::size_t link = 0; link < all.size(); ++link) {
      if (limiting[link] == all[link]) continue;
      EXPECT_EQ(limiting[link], kUnlimited);
      ++count[std::round(1e-9 * all[link])];
    }
    return count;
  };
  using Count = std::map<double, int>;
  const int cards = 2 * 2 * 16, groups = 2 * 4;  // both directions
  EXPECT_EQ(left_out({}), (Count{{24, cards}, {100, groups}}));
  EXPECT_EQ(left_out({"platform.network.bandwidth=12GB/s"}), (Count{{24, cards}, {100, groups}})) << "just";
  EXPECT_EQ(left_out({"platform.network.bandwidth=13GB/s"}), (Count{{100, groups}}));
  EXPECT_EQ(left_out({"platform.fabric.group_bandwidth=70GB/s"}), (Count{{24, cards}}));
  EXPECT_EQ(left_out({"platform.fabric.leaf_bandwidth=48GB/s"}),
            (Count{{24, cards}, {48, 2 * 8}, {100, groups}}));
  const int pairs = 4 * 3;
  EXPECT_EQ(left_out({"platform.fabric.pair_bandwidth=80GB/s"}),
            (Count{{24, cards}, {80, pairs}, {100, groups}}));
  EXPECT_EQ(left_out({"platform.messages=device"}), (Count{{100, groups}})) << "two of 6 + 23 for a card";
}

/// Random messages at a time have the same rates with all links and with those that may limit.
TEST(MachineLinks, LimitingLinksGiveTheSameRates) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::string> settings{
        fmt::format("platform.network.bandwidth={}GB/s", random.integer(2, 14)),
        fmt::format("platform.fabric.leaf_bandwidth={}GB/s", random.integer(20, 60)),
        fmt::format("platform.fabric.group_bandwidth={}GB/s", random.integer(30, 110)),
        fmt::format("platform.fabric.pair_bandwidth={}GB/s", random.integer(5, 90))};
    const bool devices = random.integer(0, 1) == 1;
    if (devices) settings.emplace_back("platform.messages=device");
    if (random.integer(0, 1) == 1) settings.emplace_back("platform.fabric.rails=true");
    if (random.integer(0, 1) == 1) settings.emplace_back("platform.noise.bandwidth=0.3");
    const Machine machine = wired_machine(settings);
    const MachineLinks links(machine, seed);
    FluidSolver all(links.capacities()), some(links.limiting_capacities());
    std::vector<std::pair<FluidSolver::FlowId, FluidSolver::FlowId>> flows;
    for (int n = 0; n < 300; ++n) {
      const Rank from = Rank::of(static_cast<int>(random.integer(0, 63))),
                 to = Rank::of(static_cast<int>(random.integer(0, 63)));
      if (from == to) continue;
      const MemoryPlace end = devices && random.integer(0, 1) == 1 ? 0 : kHost;
      const Route route = links.message(from, to, end, end);
      constexpr double kBytes = 1e9, kNoLimit = std::numeric_limits<double>::infinity();
      flows.emplace_back(all.start(route.links(), kBytes, kNoLimit, 0),
                         some.start(route.links(), kBytes, kNoLimit, 0));
    }
    all.next_end_s(0);
    some.next_end_s(0);
    for (const auto& [x, y] : flows) ASSERT_NEAR(some.rate(y), all.rate(x), 1e-9 * all.rate(x));
  }
}

/// With rails each card has a leaf of its own.
TEST(MachineLinks, CardsOfANodeAreAtTheirRails) {
  const Machine machine = wired_machine({"platform.fabric.rails=true"});
  const MachineLinks links(machine);
  EXPECT_DOUBLE_EQ(links.message(Rank::of(0), Rank::of(4)).latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(links.message(Rank::of(0), Rank::of(6)).latency_s, 2.2e-6) << "from card 0 to card 1";
}

}  // namespace
}  // namespace foretile::machine_links_test
