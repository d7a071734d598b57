// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/new_platform.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "platforms/node_graph.hpp"

namespace foretile::new_platform_test {
namespace {

using Kind = NodePart::Kind;

/// Eight H100 behind a switch, each with a card at a PCIe switch.
NewPlatform dgx() {
  NewPlatform m;
  m.name = "dgx";
  m.nodes = 128;
  m.device = find_device_type("H100-SXM");
  m.devices = 8;
  m.sockets = 2;
  m.cores = 112;
  m.memory_bytes = 2e12;
  m.cards = 8;
  m.card_bytes_per_s = 47e9;
  return m;
}

NewPlatform of_cores() {
  NewPlatform m;
  m.name = "cores";
  m.nodes = 4;
  m.sockets = 2;
  m.cores = 128;
  m.memory_bytes = 256e9;
  m.card_bytes_per_s = 25e9;
  return m;
}

Platform parsed(const NewPlatform& m) {
  return parse_platform(new_platform_toml(m), m.name + ".toml");
}

std::string refusal(const NewPlatform& m) {
  try {
    new_platform_toml(m);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(NewPlatform, HasTheFiguresThatWereGiven) {
  const Platform p = parsed(dgx());
  EXPECT_EQ(p.nodes, 128);
  EXPECT_EQ(p.sockets, 2);
  EXPECT_EQ(p.cores_per_socket, 56);
  EXPECT_EQ(p.devices_per_node(), 8);
  EXPECT_EQ(p.ranks_per_node, 8);
  EXPECT_EQ(p.memory_bytes_per_socket, 900'000'000'000);  // 90% of 2 TB, two sockets
  EXPECT_EQ(p.device.memory_bytes, 72'000'000'000);       // 90% of 80 GB
  EXPECT_EQ(p.network.cards.count, 8);
  EXPECT_EQ(p.network.cards.bytes_per_s, 47e9);
}

/// Ports of 396 GB/s of one switch; a card and a GPU share the way from the host to their PCIe switch.
TEST(NewPlatform, IsWiredAsItsTypeUsuallyIs) {
  const Platform p = parsed(dgx());
  const NodeGraph graph(p);
  const NodePart host0{Kind::host, 0}, host1{Kind::host, 1}, gpu0{Kind::device, 0}, gpu7{Kind::device, 7},
      card7{Kind::card, 7};
  EXPECT_EQ(graph.path(gpu0, gpu7).bytes_per_s, 396e9);
  EXPECT_EQ(graph.path(gpu0, gpu7).links, 2);
  EXPECT_EQ(graph.path(host0, gpu0).bytes_per_s, 55.4e9);
  EXPECT_EQ(graph.path(gpu0, host0).bytes_per_s, 55.1e9);
  EXPECT_EQ(graph.path(gpu7, card7).links, 2);
  EXPECT_FALSE(graph.path(gpu7, card7).by_host);
  EXPECT_EQ(graph.path(host1, card7).links, 2);
}

TEST(NewPlatform, OfFourGpusHasALinkForEachPair) {
  NewPlatform m = dgx();
  m.devices = 4;
  m.cards = 4;
  const Platform p = parsed(m);
  const NodeGraph graph(p);
  EXPECT_EQ(graph.path({Kind::device, 0}, {Kind::device, 3}).links, 1);
  EXPECT_EQ(graph.path({Kind::device, 0}, {Kind::device, 3}).bytes_per_s, 132e9);  // 396 for three others
  EXPECT_EQ(graph.path({Kind::host, 1}, {Kind::card, 3}).links, 1);
}

TEST(NewPlatform, SaysWhatWasGivenAndWhatIsAGuess) {
  NewPlatform m = dgx();
  m.host_link = {50e9, 40e9};
  const std::string text = new_platform_toml(m);
  EXPECT_NE(text.find("\nbandwidth = \"50 GB/s\"       # given\nback_bandwidth = \"40 GB/s\"  # given\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("[ML]   stas00"), std::string::npos);
  EXPECT_EQ(text.find("[ALCF]"), std::string::npos);  // of another type
  const std::vector<std::string> guesses = guessed_keys(parsed(m));
  const auto is_guess = [&](const char* key) { return std::ranges::find(guesses, key) != guesses.end(); };
  for (const char* key : {"socket.memory", "device.memory", "link.nvlink.bandwidth", "network.latency",
                          "generation.rate", "power.node_busy"})
    EXPECT_TRUE(is_guess(key)) << key;
  for (const char* key : {"nodes", "socket.cores", "link.host.bandwidth", "network.card_bandwidth"})
    EXPECT_FALSE(is_guess(key)) << key;
}

TEST(NewPlatform, OfEachTypeCanBeRead) {
  for (const DeviceType& type : device_types()) {
    for (const int sockets : {1, 2, 4}) {
      for (const int cards : {1, 3, 4, 8, 16}) {
        for (const auto place : {std::optional<CardPlace>(), std::optional(CardPlace::host)}) {
          NewPlatform m = dgx();
          m.device = &type;
          m.sockets = sockets;
          m.cards = cards;
          m.cards_at = place;
          SCOPED_TRACE(fmt::format("{}, {} sockets, {} cards", type.name, sockets, cards));
          const Platform p = parsed(m);
          EXPECT_EQ(p.devices_per_node(), 8);
          EXPECT_EQ(p.has_device_memory(), !type.in_host_memory);
        }
      }
    }
  }
}

TEST(NewPlatform, OfASingleNodeNeedsNoCards) {
  NewPlatform m = dgx();
  m.nodes = 1;
  m.cards = 0;
  EXPECT_EQ(parsed(m).network.cards.count, 0);
  m.device = nullptr;
  m.devices = 0;
  EXPECT_EQ(parsed(m).network.cards.count, 0);
}

TEST(NewPlatform, OfNoGpusComputesOnCores) {
  NewPlatform m = of_cores();
  m.core_flops_per_s = 40e9;
  const Platform p = parsed(m);
  EXPECT_EQ(p.device.kind, DeviceKind::core);
  EXPECT_EQ(p.devices_per_node(), 128);
  EXPECT_EQ(p.ranks_per_node, 2);
  EXPECT_EQ(p.device.kernel.rate_flops_per_s, 40e9);
  EXPECT_EQ(p.network.message.bandwidth_bytes_per_s, 25e9);
}

TEST(NewPlatform, RefusesWhatDoesNotGoTogether) {
  const auto with = [](const auto& change) {
    NewPlatform m = dgx();
    change(m);
    return refusal(m);
  };
  EXPECT_EQ(
      with([](NewPlatform& m) { m.devices = 7; }),
      "--devices: found 7, expected a multiple of the 2 sockets; each socket or NUMA domain has as many");
  EXPECT_TRUE(with([](NewPlatform& m) { m.cores = 5; }).starts_with("--cores: found 5"));
  EXPECT_TRUE(with([](NewPlatform& m) { m.cards = 0; }).starts_with("--cards: found 0"));
  EXPECT_TRUE(with([](NewPlatform& m) { m.core_flops_per_s = 1e9; }).starts_with("--core-rate: "));
  EXPECT_TRUE(with([](NewPlatform& m) {
                m.cards = 1;
                m.cards_at = CardPlace::pcie;
              }).starts_with("--cards-at: found pcie"));
  EXPECT_TRUE(with([](NewPlatform& m) {
                m.device = find_device_type("MI300A");
                m.host_link = {1e9, 1e9};
              }).starts_with("--host-link: "));
  NewPlatform cores = of_cores();
  cores.devices = 8;
  EXPECT_TRUE(refusal(cores).starts_with("--devices: "));
}

}  // namespace
}  // namespace foretile::new_platform_test
