// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/improvements.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include "platforms/keys.hpp"
#include "platforms/loader.hpp"
#include "platforms/node_graph.hpp"

namespace foretile {

namespace {

constexpr double kTwice = 2;
constexpr double kHalf = 0.5;

struct Change {
  std::string key;
  double factor;
};

struct Resource {
  std::string name;
  std::vector<Change> changes;  ///< of which the platform may lack some
  std::function<bool(const Machine&)> used = [](const Machine&) { return true; };
  bool of_messages = false;  ///< whatever NodeWays say
};

bool has_gpus(const Machine& m) {
  return m.platform.device.kind == DeviceKind::gpu;
}

bool has_neighbours(const Machine& m) {
  return m.ranks > 1 && m.ranks_per_node > 1;
}

bool has_nodes(const Machine& m) {
  return m.nodes() > 1;
}

std::vector<Resource> resources(const Machine& machine, bool more_devices) {
  std::vector<Resource> all{
      {"kernel rate",
       {{"device.kernel.rate", kTwice},
        {"device.kernel.points", kTwice},
        {"device.batched.points", kTwice},
        {"device.vector.points", kTwice},
        {"device.emulated.points", kTwice},
        {"device.single.points", kTwice},
        {"device.single_batched.points", kTwice},
        {"device.batched.rate", kTwice},
        {"device.vector.rate", kTwice},
        {"device.emulated.rate", kTwice},
        {"device.single.rate", kTwice},
        {"device.single_batched.rate", kTwice}}},
      {"launch latency",
       {{"device.kernel.latency", kHalf},
        {"device.batched.latency", kHalf},
        {"device.vector.latency", kHalf},
        {"device.emulated.latency", kHalf},
        {"device.single.latency", kHalf},
        {"device.single_batched.latency", kHalf}}},
      {"generation rate", {{"generation.rate", kTwice}, {"generation.device_rate", kTwice}}},
      {"addition rate",
       {{"addition.rate", kTwice}, {"addition.cached_rate", kTwice}, {"addition.permuted_rate", kTwice}}},
      {"device memory", {{"device.memory", kTwice}}},
      {"cache", {{"device.cache.size", kTwice}}},
      {"host memory", {{"socket.memory", kTwice}}},
      {"host memory bandwidth", {{"socket.memory_bandwidth", kTwice}}, has_gpus},
      {"socket device bandwidth", {{"socket.device_bandwidth", kTwice}}},
      {"peer bandwidth",
       {{"peer.bandwidth", kTwice}},
       [](const Machine& m) { return m.devices_per_rank > 1; }},
      {"peer latency", {{"peer.latency", kHalf}}, [](const Machine& m) { return m.devices_per_rank > 1; }},
      {"xbus bandwidth", {{"xbus.bandwidth", kTwice}}},
      {"xbus latency", {{"xbus.latency", kHalf}}},
      {"message bandwidth",
       {{"message.bandwidth", kTwice}, {"message.node_bandwidth", kTwice}},
       has_neighbours,
       true},
      {"message latency", {{"message.latency", kHalf}}, has_neighbours, true},
      {"network bandwidth",
       {{"network.bandwidth", kTwice},
        {"network.node_bandwidth", kTwice},
        {"network.card_bandwidth", kTwice},
        {"network.device_bandwidth", kTwice}},
       has_nodes,
       true},
      {"fabric bandwidth",
       {{"fabric.leaf_bandwidth", kTwice},
        {"fabric.group_bandwidth", kTwice},
        {"fabric.pair_bandwidth", kTwice}},
       has_nodes,
       true},
      {"copy latency", {{"copy.latency", kHalf}, {"copy.peer_latency", kHalf}}},
      {"network latency", {{"network.latency", kHalf}}, has_nodes, true},
      {"copy software", {{"runtime.copy_overhead", kHalf}}},
      {"unpinned copies",
       {{"runtime.unpinned_initial", kTwice},
        {"runtime.unpinned_received", kTwice},
        {"runtime.unpinned_made", kTwice},
        {"runtime.unpinned_array", kTwice}}},
      {"message software",
       {{"runtime.message_overhead", kHalf},
        {"runtime.polling_delay", kHalf},
        {"runtime.message_copy_rate", kTwice}},
       [](const Machine& m) { return m.ranks > 1; },
       true},
      {"product software",
       {{"runtime.operation_overhead", kHalf},
        {"runtime.look_overhead", kHalf},
        {"runtime.product_overhead", kHalf},
        {"runtime.shared_product_overhead", kHalf},
        {"runtime.load_overhead", kHalf},
        {"runtime.store_overhead", kHalf}}}};
  for (const std::string& link : device_link_tables()) {
    all.push_back({link + " bandwidth",
                   {{link + ".bandwidth", kTwice},
                    {link + ".h2d_bandwidth", kTwice},
                    {link + ".d2h_bandwidth", kTwice},
                    {link + ".both_bandwidth", kTwice}}});
    all.push_back({link + " latency", {{link + ".latency", kHalf}}});
  }
  for (const LinkTable& table : machine.platform.links.tables) {
    const std::string link = "link." + table.name;
    Resource faster{link + " bandwidth", {}};
    for (const char* const key : {"bandwidth", "back_bandwidth", "both_bandwidth", "all_bandwidth",
                                  "all_back_bandwidth", "all_both_bandwidth"})
      faster.changes.push_back({fmt::format("{}.{}", link, key), kTwice});
    all.push_back(faster);
  }
  if (has_gpus(machine)) {
    all.push_back({"cores", {{"socket.cores", kTwice}}});
    if (more_devices) all.push_back({"devices", {{"socket.devices", kTwice}}});
  } else if (more_devices) {  // devices are cores
    all.push_back({"cores", {{"socket.cores", kTwice}, {"socket.devices", kTwice}}});
  }
  return all;
}

/// Rates of measured points, as a file has them.
std::string faster_points(const std::vector<KernelPoint>& points, double factor) {
  std::string rows;
  for (const KernelPoint& x : points)
    rows += fmt::format("{}[{},{},{},{}]", rows.empty() ? "" : ",", x.m, x.n, x.k, factor * x.flops_per_s);
  return "[" + rows + "]";
}

/// "" where a change would change nothing.
std::string changed(const Platform& platform, const PlatformKey& key, double factor) {
  Platform copy = platform;
  const Slot slot = key.slots(copy).front();
  if (double* const* real = std::get_if<double*>(&slot)) {
    return **real > 0 ? fmt::format("{}", factor * **real) : "";
  }
  if (const auto* const points = std::get_if<std::vector<KernelPoint>*>(&slot))
    return faster_points(**points, factor);
  const auto whole = [&](auto value) {
    return fmt::format("{}", std::llround(factor * static_cast<double>(value)));
  };
  if (int* const* number = std::get_if<int*>(&slot)) return whole(**number);
  return whole(**std::get_if<std::int64_t*>(&slot));
}

/// What bytes pass inside the first node: as rates, in the order in which they pass them.
class NodeWays {
 public:
  explicit NodeWays(const Machine& machine) : machine_(machine), now_(rates(machine.platform)) {}

  /// Sets which ways an improvement of rates makes wider.
  void mark(Improvement& better) const {
    const Platform& platform = machine_.platform;
    const Rates then = rates(parse_platform(platform.toml, platform.source, better.settings));
    better.of_copies = then.copies != now_.copies;
    better.of_messages = better.of_messages || then.messages != now_.messages;
  }

 private:
  struct Rates {
    std::vector<double> copies, messages;
  };

  Rates rates(const Platform& platform) const {
    const NodeGraph graph(platform, machine_.ranks_per_node * machine_.devices_per_rank);
    Rates found;
    const auto add = [&](std::vector<double>& to, const NodePart& one, const NodePart& other) {
      for (const NodeGraph::Path* path : {&graph.path(one, other), &graph.path(other, one)})
        for (const NodeGraph::Shared shared : path->shared)
          to.push_back(graph.capacities()[static_cast<std::size_t>(shared)]);
    };
    for (int rank = 0; rank < std::min(machine_.ranks, machine_.ranks_per_node); ++rank) {
      const auto [first, end] = machine_.sockets_of(Rank::of(rank));
      for (const NodePart& device : devices_of(rank)) {
        for (int socket = first; socket < end; ++socket)
          add(found.copies, {NodePart::Kind::host, socket}, device);
      }
      if (machine_.nodes() == 1) continue;
      const NodePart memory{NodePart::Kind::host, first};
      for (const NodePart& card : nearest_cards(graph, memory)) add(found.messages, memory, card);
      if (!machine_.receives_on_devices()) continue;
      for (const NodePart& device : devices_of(rank)) {
        for (const NodePart& card : nearest_cards(graph, device)) add(found.messages, device, card);
      }
    }
    return found;
  }

  std::vector<NodePart> devices_of(int rank) const {
    std::vector<NodePart> parts;
    for (int n = 0; machine_.platform.has_device_memory() && n < machine_.devices_per_rank; ++n)
      parts.push_back({NodePart::Kind::device, rank * machine_.devices_per_rank + n});
    return parts;
  }

  std::vector<NodePart> nearest_cards(const NodeGraph& graph, const NodePart& from) const {
    std::vector<NodePart> nearest;
    int least = 0;
    for (int number = 0; number < machine_.platform.network.cards.count; ++number) {
      const NodePart card{NodePart::Kind::card, number};
      const int links = graph.path(from, card).links;
      if (nearest.empty() || links < least) nearest.clear();
      if (nearest.empty()) least = links;
      if (links == least) nearest.push_back(card);
    }
    return nearest;
  }

  const Machine& machine_;
  Rates now_;
};

}  // namespace

std::vector<Improvement> improvements(const Machine& machine, bool more_devices) {
  const toml::table table = toml::parse(machine.platform.toml);
  const NodeWays ways(machine);
  std::vector<Improvement> found;
  for (const Resource& resource : resources(machine, more_devices)) {
    if (!resource.used(machine)) continue;
    Improvement better{resource.name, {}, false, resource.of_messages};
    for (const auto& [name, factor] : resource.changes) {
      if (!table.at_path(name)) continue;
      const std::string value = changed(machine.platform, *find_platform_key(name), factor);
      if (!value.empty()) better.settings.push_back(fmt::format("platform.{}={}", name, value));
    }
    if (better.settings.empty()) continue;
    if (resource.name.ends_with("bandwidth")) ways.mark(better);
    found.push_back(std::move(better));
  }
  return found;
}

std::vector<Improvement> joint_improvements(const std::vector<Improvement>& improvements) {
  std::vector<Improvement> found;
  for (Improvement joint : {Improvement{"host links together", {}, true, false},
                            Improvement{"messages together", {}, false, true},
                            Improvement{"host links and messages", {}, true, true}}) {
    std::size_t count = 0;
    for (const Improvement& one : improvements) {
      if (!(joint.of_copies && one.of_copies) && !(joint.of_messages && one.of_messages)) continue;
      joint.settings.insert(joint.settings.end(), one.settings.begin(), one.settings.end());
      ++count;
    }
    const bool is_new = std::ranges::find(found, joint.settings, &Improvement::settings) == found.end();
    if (count > 1 && is_new) found.push_back(std::move(joint));
  }
  return found;
}

}  // namespace foretile
