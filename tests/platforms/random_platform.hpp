// SPDX-License-Identifier: BSD-3-Clause
// Platform files from a seed, of all forms; about half of them have mistakes.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace foretile {

class RandomPlatform {
 public:
  explicit RandomPlatform(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    describe();
    if (chance(0.5)) {
      for (std::int64_t mistakes = random_.integer(1, 2); mistakes > 0; --mistakes) make_mistake();
    }
    std::string all;
    for (const std::string& line : lines_) all += line + "\n";
    return all;
  }

 private:
  bool chance(double share) { return random_.real() < share; }
  template <typename Item>
  const Item& one_of(std::span<const Item> items) {
    return items[static_cast<std::size_t>(random_.integer(0, std::ssize(items) - 1))];
  }
  template <typename... Texts>
  std::string choose(Texts... texts) {
    const std::vector<std::string> all = {std::string(texts)...};
    return one_of(std::span<const std::string>(all));
  }
  void table(const std::string& name) { lines_.push_back("[" + name + "]"); }
  void key(const std::string& name, const std::string& value) { lines_.push_back(name + " = " + value); }
  void text_key(const std::string& name, const std::string& value) { key(name, "\"" + value + "\""); }
  void number_key(const std::string& name, std::int64_t low, std::int64_t high) {
    key(name, std::to_string(random_.integer(low, high)));
  }
  void bandwidth(const std::string& name) { text_key(name, fmt::format("{} GB/s", random_.integer(1, 500))); }
  void latency(const std::string& name) { text_key(name, fmt::format("{} us", random_.integer(0, 20))); }
  void maybe(double share, void (RandomPlatform::*add)(const std::string&), const std::string& name) {
    if (chance(share)) (this->*add)(name);
  }

  void describe() {
    gpu_ = chance(0.7);
    in_host_memory_ = gpu_ && chance(0.15);
    graph_ = gpu_ && (in_host_memory_ || chance(0.7));
    sockets_ = random_.integer(1, 4);
    devices_ = random_.integer(1, 4);
    nodes_ = chance(0.2) ? 1 : random_.integer(2, 200);
    cards_ = graph_ && chance(0.6) ? sockets_ * random_.integer(1, 2) : 0;
    add_node();
    add_device();
    if (gpu_ && !graph_) add_alike_links();
    if (graph_) add_graph();
    table("message");
    latency("latency");
    bandwidth("bandwidth");
    if (nodes_ > 1 || cards_ > 0) add_network();
    if (chance(0.5)) add_fabric();
    if (chance(0.5)) add_power();
    table("generation");
    bandwidth("rate");
  }

  void add_node() {
    text_key("name", "random");
    key("nodes", std::to_string(nodes_));
    key("sockets_per_node", std::to_string(sockets_));
    key("ranks_per_node", std::to_string(chance(0.5) ? 1 : sockets_ * devices_));
    if (gpu_ && chance(0.5)) text_key("messages", in_host_memory_ || chance(0.5) ? "host" : "device");
    table("socket");
    number_key("cores", 1, 64);
    key("devices", std::to_string(devices_));
    text_key("memory", fmt::format("{} GB", random_.integer(1, 1000)));
    bandwidth("memory_bandwidth");
    if (gpu_ && !graph_) bandwidth("device_bandwidth");
  }

  void add_device() {
    table("device");
    text_key("kind", gpu_ ? "gpu" : "core");
    text_key("memory", fmt::format("{} GB", random_.integer(1, 100)));
    if (in_host_memory_) key("in_host_memory", "true");
    if (chance(0.2)) key("speeds", speeds());
    add_curve("device.kernel");
    key("streams", "1");
    if (gpu_ && chance(0.3)) add_curve("device.batched");
  }

  /// Of all devices of a node.
  std::string speeds() {
    std::string all;
    for (std::int64_t i = sockets_ * devices_; i > 0; --i)
      all += fmt::format("0.{}, ", random_.integer(1, 9));
    return "[" + all + "]";
  }

  void add_curve(const std::string& name) {
    table(name);
    const bool points = chance(0.4);
    if (points) key("points", point_rows());
    if (!points || chance(0.3)) {
      text_key("rate", fmt::format("{} Tflop/s", random_.integer(1, 60)));
      for (const char* half : {"half_m", "half_n", "half_k"}) number_key(half, 0, 400);
    }
    latency("latency");
  }

  std::string point_rows() {
    std::string rows;
    for (std::int64_t i = random_.integer(1, 6); i > 0; --i)
      rows += fmt::format("[{}, {}, {}, \"{} Gflop/s\"], ", random_.integer(1, 40000),
                          random_.integer(1, 4000), random_.integer(1, 4000), random_.integer(1, 60000));
    return "[" + rows + "]";
  }

  void add_alike_links() {
    table(choose("nvlink", "pcie", "infinity_fabric", "c2c"));
    latency("latency");
    bandwidth("bandwidth");
    for (const char* other : {"peer", "xbus"}) {
      table(other);
      latency("latency");
      bandwidth("bandwidth");
    }
  }

  static std::string range(const char* part, std::int64_t count) {
    return count == 1 ? fmt::format("{}0", part) : fmt::format("{}0..{}", part, count - 1);
  }

  void add_link(const std::string& name, const std::string& between) {
    table("link." + name);
    text_key("between", between);
    bandwidth("bandwidth");
    maybe(0.3, &RandomPlatform::bandwidth, "back_bandwidth");
    maybe(0.2, &RandomPlatform::bandwidth, "all_bandwidth");
    maybe(0.3, &RandomPlatform::latency, "latency");
    if (chance(0.2)) text_key("both_bandwidth", "1200 GB/s");
  }

  void add_graph() {
    const std::string hosts = range("host", sockets_), gpus = range("gpu", sockets_ * devices_);
    table("copy");
    latency("latency");
    if (!in_host_memory_) {
      add_link("host", hosts + "-" + gpus);
      if (sockets_ * devices_ > 1 && chance(0.7)) add_link("peers", chance(0.5) ? gpus : gpus + "-nvswitch");
    }
    if (sockets_ > 1) add_link("sockets", hosts);
    const bool at_gpus =
        !in_host_memory_ && sockets_ * devices_ % std::max<std::int64_t>(cards_, 1) == 0 && chance(0.4);
    if (cards_ > 0) add_link("card", range("card", cards_) + "-" + (at_gpus ? gpus : hosts));
  }

  void add_network() {
    table("network");
    latency("latency");
    if (cards_ > 0) {
      key("cards", std::to_string(cards_));
      bandwidth("card_bandwidth");
      if (chance(0.3)) number_key("cards_per_rank", 1, 4);
      if (chance(0.5)) return;
    }
    bandwidth("bandwidth");
    if (cards_ == 0) bandwidth("node_bandwidth");
  }

  void add_fabric() {
    table("fabric");
    text_key("type", choose("dragonfly", "dragonfly+", "fat-tree"));
    const bool leaves = chance(0.5), groups = chance(0.6);
    if (leaves) number_key("leaf_nodes", 1, 8);
    if (leaves) maybe(0.5, &RandomPlatform::bandwidth, "leaf_bandwidth");
    if (groups) number_key("group_nodes", 8, 64);
    if (groups) maybe(0.5, &RandomPlatform::bandwidth, "group_bandwidth");
    if (groups) maybe(0.5, &RandomPlatform::bandwidth, "pair_bandwidth");
    for (const char* choice : {"adaptive", "rails"})
      if (chance(0.3)) key(choice, choose("true", "false"));
    maybe(0.5, &RandomPlatform::latency, "switch_latency");
    if (chance(0.3)) text_key("placement", choose("packed", "scattered", "0 0 0", "0/0 0/0"));
  }

  void add_power() {
    table("power");
    if (gpu_) number_key("device_idle", 0, 100);
    if (gpu_) number_key("device_busy", 100, 1000);
    number_key("node_idle", 0, 400);
    number_key("node_busy", 400, 4000);
  }

  std::size_t some_line() { return static_cast<std::size_t>(random_.integer(0, std::ssize(lines_) - 1)); }

  std::string wrong_value() {
    return choose("0", "-1", "inf", "-inf", "nan", "1e308", "99999999999", "true", "[]", "[[]]",
                  "[[1, 2, 3]]", "{}", "\"\"", "\"x\"", "\"0 GB/s\"", "\"inf GB/s\"", "\"1 Gbit/s\"",
                  "\"-3 us\"", "\"1e300 W\"", "\"gpu0-gpu0\"", "\"gpu99-host0\"", "\"gpu3..1\"",
                  "\"gpu0..4294967296\"", "\"host0..1-gpu0..2\"", "\"-\"", "\"gpu0--gpu1\"", "\"card0-gpu0\"",
                  "\"alone-gpu0\"", "\"gpu0..9999\"", "\"\\n\"", "\"0 0 99\"", "1979-05-27", "unquoted");
  }

  void make_mistake() {
    const std::size_t at = some_line();
    const auto position = lines_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto equals = lines_[at].find(" = ");
    switch (random_.integer(0, 5)) {
      case 0:
        lines_.erase(position);
        break;
      case 1:
        lines_.insert(position, lines_[some_line()]);
        break;
      case 2:
        lines_.insert(position,
                      choose("[link]", "[link.\"a b\"]", "[link.x.y]", "[link.gpu0]", "unknown = 1", "[what]",
                             "link = 3", "fabric.type = \"ring\"", "[network.cards]", "="));
        break;
      default:
        if (equals != std::string::npos) lines_[at] = lines_[at].substr(0, equals + 3) + wrong_value();
    }
  }

  Random random_;
  std::vector<std::string> lines_;
  bool gpu_ = true, in_host_memory_ = false, graph_ = false;
  std::int64_t sockets_ = 1, devices_ = 1, nodes_ = 1, cards_ = 0;
};

}  // namespace foretile
