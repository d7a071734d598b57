// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/node_graph.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::node_graph_test {
namespace {

/// In place of the limit of a node's port.
void put_cards(std::string& text, int count) {
  const std::string port = "node_bandwidth = \"12 GB/s\"";
  text.replace(text.find(port), port.size(), fmt::format("cards = {}\ncard_bandwidth = 25e9", count));
}

using Kind = NodePart::Kind;

constexpr NodePart host(int n) {
  return {Kind::host, n};
}
constexpr NodePart gpu(int n) {
  return {Kind::device, n};
}
constexpr NodePart card(int n) {
  return {Kind::card, n};
}

/// The small platform with these links instead of its own, and so many GPUs on each of `sockets`.
std::string with_links(const std::string& links, int gpus = 4, int sockets = 1) {
  std::string text = small_platform;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("devices = 2", "devices = " + std::to_string(gpus));
  replace("sockets_per_node = 1", "sockets_per_node = " + std::to_string(sockets));
  replace("device_bandwidth = \"20 GB/s\"\n", "");
  replace("[pcie]\nlatency = \"10 us\"\nbandwidth = \"12 GB/s\"\n", "[copy]\nlatency = \"10 us\"\n");
  replace("[peer]\nlatency = \"15 us\"\nbandwidth = \"10 GB/s\"\n", "");
  return text + links;
}

std::string link(const std::string& name, const std::string& between, const std::string& figures) {
  return "[link." + name + "]\nbetween = \"" + between + "\"\n" + figures + "\n";
}

Platform read(const std::string& text) {
  return parse_platform(text, "p.toml");
}

double rate(const NodeGraph& graph, NodePart from, NodePart to) {
  return graph.path(from, to).bytes_per_s / 1e9;
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
}

std::string pairs(const std::string& between) {
  const Platform p = read(with_links(link("a", "host0-gpu0..3", "bandwidth = 1e9")));
  std::vector<std::string> hubs;
  std::string text;
  for (const PartPair& x : parse_between(between, p, hubs, "here")) {
    for (const NodePart& part : {x.first, x.second})
      text += (part.kind == Kind::hub ? hubs.at(static_cast<std::size_t>(part.number))
                                      : (part.kind == Kind::host ? "h" : "g") + std::to_string(part.number)) +
              (part == x.second ? " " : "-");
  }
  return text;
}

TEST(NodeGraph, ReadsPairs) {
  EXPECT_EQ(pairs("gpu0-gpu1 gpu2-gpu3"), "g0-g1 g2-g3 ");
  EXPECT_EQ(pairs("gpu0..2"), "g0-g1 g0-g2 g1-g2 ");
  EXPECT_EQ(pairs("gpu0..2-switch"), "g0-switch g1-switch g2-switch ");
  EXPECT_EQ(pairs("left-gpu0..1  right-gpu2..3"), "left-g0 left-g1 right-g2 right-g3 ");
  EXPECT_EQ(pairs("gpu0..1-gpu2..3"), "g0-g2 g1-g3 ");
  EXPECT_EQ(pairs("host0..0-gpu0..3"), "h0-g0 h0-g1 h0-g2 h0-g3 ");
  EXPECT_THROW(pairs("gpu0..1-gpu0..3"), InputError) << "gpu0 with itself";
}

TEST(NodeGraph, TheLongerSideIsDivided) {
  const Platform p = read(with_links(link("a", "host0..1-gpu0..7 host0-host1", "bandwidth = 1e9"), 4, 2));
  const NodeGraph graph(p);
  EXPECT_EQ(graph.path(host(0), gpu(3)).links, 1);
  EXPECT_EQ(graph.path(host(1), gpu(4)).links, 1);
  EXPECT_EQ(graph.path(host(0), gpu(4)).links, 2);
}

/// gpu0 and gpu1 are a package, as are gpu2 and gpu3; a slow link joins gpu1 and gpu2. From gpu0 to gpu2 two
/// links lead by the host (2) and by gpu1 (2.5).
TEST(NodeGraph, TakesTheShortestWay) {
  const std::string links =
      link("host", "host0-gpu0..3", "bandwidth = \"20 GB/s\"\nback_bandwidth = \"10 GB/s\"") +
      link("package", "gpu0-gpu1 gpu2-gpu3", "bandwidth = \"100 GB/s\"") +
      link("slow", "gpu1-gpu2", "bandwidth = \"30 GB/s\"\nlatency = \"2 us\"");
  const NodeGraph graph(read(with_links(links)));
  EXPECT_DOUBLE_EQ(rate(graph, host(0), gpu(2)), 20);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(2), host(0)), 10);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(1)), 100);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(2), gpu(1)), 30);
  EXPECT_DOUBLE_EQ(graph.path(gpu(1), gpu(2)).latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(2)), 10) << "by the host: its way back";
  EXPECT_TRUE(graph.path(gpu(0), gpu(2)).by_host);
  EXPECT_FALSE(graph.path(gpu(0), gpu(1)).by_host);
  EXPECT_EQ(graph.path(gpu(0), gpu(3)).links, 2);
}

/// Of two links of one pair the faster; of two ways of equal length the wider.
TEST(NodeGraph, TakesTheWidestOfEqualWays) {
  const std::string links = link("host", "host0-gpu0..3", "bandwidth = 1e9") +
                            link("all", "gpu0..3", "bandwidth = 15e9") +
                            link("tiles", "gpu0-gpu1 gpu2-gpu3", "bandwidth = 185e9");
  const NodeGraph graph(read(with_links(links)));
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(1)), 185);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(2)), 15);
}

/// A switch: each GPU has one port in each direction, which all its peers share.
TEST(NodeGraph, GpusBehindASwitchShareTheirPorts) {
  const std::string links = link("host", "host0-gpu0..3", "bandwidth = 50e9") +
                            link("nvlink", "gpu0..3-nvswitch", "bandwidth = 400e9\nboth_bandwidth = 700e9");
  const NodeGraph graph(read(with_links(links)));
  const auto& a = graph.path(gpu(0), gpu(1)).shared;
  const auto& b = graph.path(gpu(0), gpu(2)).shared;
  const auto& c = graph.path(gpu(3), gpu(2)).shared;
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(1)), 400);
  EXPECT_EQ(a.size(), 4U) << "two ports, each with a limit of both directions";
  EXPECT_EQ(std::vector(a.begin(), a.begin() + 2), std::vector(b.begin(), b.begin() + 2));
  EXPECT_EQ(std::vector(b.begin() + 2, b.end()), std::vector(c.begin() + 2, c.end()));
  EXPECT_DOUBLE_EQ(graph.into_device(0), 450e9);
}

/// Aurora's limit of all devices: a capacity of its own in every way between hosts and devices.
TEST(NodeGraph, AllLinksOfATableShareALimit) {
  const std::string links = link("pcie", "host0..1-gpu0..3",
                                 "bandwidth = 54e9\nall_bandwidth = 100e9\nall_back_bandwidth = 80e9\n"
                                 "all_both_bandwidth = 120e9") +
                            link("bus", "host0-host1", "bandwidth = 60e9");
  const NodeGraph graph(read(with_links(links, 2, 2)));
  const auto& down = graph.path(host(0), gpu(0));
  const auto& other = graph.path(host(1), gpu(3));
  std::vector<NodeGraph::Shared> common;
  for (const auto shared : down.shared)
    if (std::ranges::find(other.shared, shared) != other.shared.end()) common.push_back(shared);
  ASSERT_EQ(common.size(), 2U);
  EXPECT_DOUBLE_EQ(graph.capacities()[static_cast<std::size_t>(common[0])], 120e9);
  EXPECT_DOUBLE_EQ(graph.capacities()[static_cast<std::size_t>(common[1])], 100e9);
}

/// Nothing passes a card; its own link is not counted, the card's bandwidth is.
TEST(NodeGraph, CardsAreEnds) {
  std::string text = with_links(link("host", "host0-gpu0..3", "bandwidth = 20e9") +
                                link("nic", "card0..1-gpu1..2", "bandwidth = 5e9"));
  put_cards(text, 2);
  const Platform p = read(text);
  const NodeGraph graph(p);
  EXPECT_DOUBLE_EQ(rate(graph, host(0), card(0)), 20);
  EXPECT_EQ(graph.path(gpu(1), card(0)).links, 1);
  EXPECT_TRUE(graph.path(gpu(1), card(0)).shared.empty());
  EXPECT_EQ(graph.path(gpu(0), card(0)).links, 3) << "gpu0, host0, gpu1, card0";
  EXPECT_DOUBLE_EQ(p.network.node_injection_bytes_per_s, 50e9) << "of all cards";
}

/// Platforms without tables: as the figures say.
TEST(NodeGraph, UniformLinksAreAGraphToo) {
  const NodeGraph graph(load_platform("summit"));
  EXPECT_DOUBLE_EQ(rate(graph, host(0), gpu(0)), 47.7);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(5), host(1)), 48.7);
  EXPECT_DOUBLE_EQ(rate(graph, gpu(0), gpu(2)), 46.9);
  EXPECT_DOUBLE_EQ(rate(graph, host(0), gpu(4)), 41.3);
  EXPECT_DOUBLE_EQ(graph.path(gpu(1), gpu(4)).latency_s, 1.4e-6);
  EXPECT_TRUE(NodeGraph(load_platform("raven")).path(host(0), host(0)).found);
}

/// Bounds and estimates use the best that some device reaches.
TEST(NodeGraph, SummarizesTables) {
  const Platform p = read(with_links(
      link("host", "host0-gpu0..2", "bandwidth = 20e9\nback_bandwidth = 10e9") +
      link("fast", "host0-gpu3", "bandwidth = 25e9") + link("peers", "gpu0-gpu1", "bandwidth = 90e9")));
  EXPECT_DOUBLE_EQ(p.links.host_to_device.bandwidth_bytes_per_s, 25e9);
  EXPECT_DOUBLE_EQ(p.links.device_to_host.bandwidth_bytes_per_s, 25e9);
  EXPECT_DOUBLE_EQ(p.links.peer.bandwidth_bytes_per_s, 90e9);
  EXPECT_DOUBLE_EQ(p.links.host_to_device.latency_s, 10e-6);
  EXPECT_DOUBLE_EQ(p.links.peer.latency_s, 10e-6);
}

TEST(NodeGraph, RefusesWhatIsNotThere) {
  const std::string good = link("host", "host0-gpu0..3", "bandwidth = 1e9");
  expect_parts(error_of(with_links(good + link("x", "gpu3-gpu4", "bandwidth = 1e9"))),
               {"p.toml:", "link.x.between", "gpu4", "gpu0 to gpu3", "socket.devices"});
  expect_parts(error_of(with_links(good + link("x", "card0-gpu1", "bandwidth = 1e9"))),
               {"link.x.between", "card0", "no card", "network.cards"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-nvswich", "bandwidth = 1e9"))),
               {"link.x.between", "\"nvswich\" in one link only"});
  expect_parts(error_of(with_links(link("host", "host0-gpu0..2", "bandwidth = 1e9"))),
               {"gpu3 without a way to host0", "between"});
  expect_parts(error_of(with_links(good + link("x", "gpu0..2-gpu0..1", "bandwidth = 1e9"))),
               {"link.x.between", "gpu0..2-gpu0..1"});
  for (const std::string bad :
       {"", "  ", "gpu0", "gpu0-gpu0", "gpu1..0-gpu2", "gpu0--gpu1", "0-1", "gpu0-g*"})
    expect_parts(error_of(with_links(good + link("x", bad, "bandwidth = 1e9"))), {"link.x.between"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-gpu1", "bandwidth = 0"))),
               {"link.x.bandwidth", "0", "1 B/s to"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-gpu1", "bandwidth = inf"))),
               {"link.x.bandwidth", "inf"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-gpu1", "width = 1e9"))), {"[link.x]", "width"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-gpu1", ""))), {"link.x.bandwidth", "no such key"});
  expect_parts(error_of(with_links(good + link("x", "gpu0-gpu1", "bandwidth = 2e9\nboth_bandwidth = 1e9"))),
               {"link.x.both_bandwidth", "at least 2 GB/s"});
  expect_parts(error_of(with_links(good + "[link.\"a b\"]\nbetween = \"gpu0-gpu1\"\n")), {"a b", "letters"});
  expect_parts(error_of(with_links(good + "[peer]\nlatency = 0\nbandwidth = 1e9\n")),
               {"peer.latency", "beside tables [link.NAME]"});
  expect_parts(error_of(small_platform + "[copy]\nlatency = 0\n"), {"copy.latency", "no table [link.NAME]"});
  std::string cards = small_platform;
  put_cards(cards, 2);
  expect_parts(error_of(cards), {"network.cards", "where they are attached"});
  cards.insert(cards.find("cards = 2"), "node_bandwidth = 25e9\n");
  expect_parts(error_of(cards), {"network.node_bandwidth", "beside network.cards", "network.card_bandwidth"});
}

/// A card behind nine switches in a row.
TEST(NodeGraph, RefusesWaysOfTooManyLinks) {
  std::string between = "host0-s0";
  for (int n = 0; n < 8; ++n) between += " s" + std::to_string(n) + "-s" + std::to_string(n + 1);
  const std::string links = link("host", "host0-gpu0..3", "bandwidth = 1e9") +
                            link("chain", between, "bandwidth = 1e9") +
                            link("nic", "s8-card0", "bandwidth = 1e9");
  std::string text = with_links(links);
  put_cards(text, 1);
  expect_parts(error_of(text), {"p.toml:", "link", "limits share", "at most 7 to a card"});
}

/// gpu0 and gpu1 belong to host0, as each host has two.
TEST(NodeGraph, HostsAreNumberedByTheirGpus) {
  const std::string text =
      with_links(link("host", "host0-gpu2..3 host1-gpu0..1 host0-host1", "bandwidth = 1e9"), 2, 2);
  expect_parts(error_of(text), {"gpu0 nearer to host1 than to host0", "order of their GPUs"});
}

}  // namespace
}  // namespace foretile::node_graph_test
