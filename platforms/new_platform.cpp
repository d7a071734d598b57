// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/new_platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

constexpr double kOfMemory = 0.9;  // the rest is the system's
constexpr std::string_view kGiven = "given";

/// Lines of one table, with their comments in one column.
class Block {
 public:
  void add(std::string_view key, std::string_view value, std::string_view comment = {}) {
    lines_.emplace_back(fmt::format("{} = {}", key, value), comment);
  }
  void add_quantity(std::string_view key, double value, Dimension dimension, std::string_view comment) {
    add(key, fmt::format("\"{}\"", format_quantity(value, dimension)), comment);
  }
  void add_rate(std::string_view key, double value, std::string_view comment) {
    add_quantity(key, value, Dimension::bytes_per_s, comment);
  }

  std::string text() const {
    std::size_t width = 0;
    for (const auto& [line, comment] : lines_) width = std::max(width, comment.empty() ? 0 : line.size());
    std::string text;
    for (const auto& [line, comment] : lines_)
      text += comment.empty() ? line + "\n" : fmt::format("{:<{}}  # {}\n", line, width, comment);
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

/// A guess, or what was given.
template <class Value>
std::string_view mark(const std::optional<Value>& given, std::string_view guess) {
  return given ? kGiven : guess;
}

bool has_gpus(const NewPlatform& m) {
  return m.device != nullptr;
}

bool copies(const NewPlatform& m) {
  return has_gpus(m) && !m.device->in_host_memory;
}

CardPlace card_place(const NewPlatform& m) {
  return m.cards_at.value_or(usual_card_place(m));
}

DeviceLinks device_links(const NewPlatform& m) {
  return m.device_links.value_or(usual_device_links(m));
}

/// PCIe switches of a node, where there are any.
int switches(const NewPlatform& m) {
  return std::min(m.cards, m.devices);
}

/// "gpu0..7", "gpu0".
std::string range(std::string_view word, int count) {
  return count == 1 ? fmt::format("{}0", word) : fmt::format("{}0..{}", word, count - 1);
}

/// Links of `count` parts to `others`, in equal parts as far as that goes: each part of the first kind has
/// one, and where there are fewer of them, some of the others have none.
std::string spread(std::string_view word, int count, std::string_view other, int others) {
  std::vector<std::string> pairs;
  for (int i = 0; i < count; ++i)
    pairs.push_back(fmt::format("{}{}-{}{}", other, i * others / count, word, i));
  return fmt::format("{}", fmt::join(pairs, " "));
}

/// The same with ranges where the parts are equal. Not for switches, whose names have none.
std::string spread_ranges(std::string_view word, int count, std::string_view other, int others) {
  if (count % others != 0) return spread(word, count, other, others);
  return fmt::format("{}-{}", range(other, others), range(word, count));
}

// ---- what does not go together ----

void require_divided(int count, int parts, const char* option, const char* of) {
  if (count % parts == 0) return;
  throw input_error(option, fmt::format("{}", count), fmt::format("a multiple of the {} {}", parts, of),
                    "each socket or NUMA domain has as many");
}

void check_cards(const NewPlatform& m) {
  if (m.cards == 0) {
    if (m.nodes > 1)
      throw input_error("--cards", "0", "at least 1 where there are several nodes",
                        "say how many a node has");
    if (has_gpus(m) && m.device->in_host_memory && m.sockets == 1)
      throw input_error("--cards", "0", fmt::format("at least 1 with {}", m.device->name));
    return;
  }
  const CardPlace place = card_place(m);
  if (place == CardPlace::host) return;
  if (!copies(m))
    throw input_error("--cards-at", place == CardPlace::device ? "device" : "pcie", "host",
                      "there are no links to devices");
  if (place == CardPlace::pcie && switches(m) % m.sockets != 0)
    throw input_error("--cards-at", "pcie", fmt::format("cards for each of the {} sockets", m.sockets),
                      "take host or device");
}

void check_core_options(const NewPlatform& m) {
  const auto refuse = [](const char* option, bool given, const char* expected) {
    if (given) throw input_error(option, "a figure", expected, fmt::format("leave {} out", option));
  };
  const bool apart = copies(m);
  const char* const needs_gpus = "none for nodes without GPUs";
  refuse("--devices", !has_gpus(m) && m.devices > 0, needs_gpus);
  refuse("--device-link", !has_gpus(m) && m.device_link_bytes_per_s.has_value(), needs_gpus);
  refuse("--device-link-form", !has_gpus(m) && m.device_links.has_value(), needs_gpus);
  const char* const needs_memory = "none where devices work in host memory";
  refuse("--host-link", !apart && m.host_link.has_value(), needs_memory);
  refuse("--device-memory", !apart && m.device_memory_bytes.has_value(), needs_memory);
  refuse("--core-rate", has_gpus(m) && m.core_flops_per_s.has_value(), "none for nodes with GPUs");
}

void check(const NewPlatform& m) {
  require_divided(m.cores, m.sockets, "--cores", "sockets");
  check_core_options(m);
  if (has_gpus(m)) require_divided(m.devices, m.sockets, "--devices", "sockets");
  check_cards(m);
}

// ---- tables ----

std::string node_text(const NewPlatform& m) {
  Block block;
  block.add("name", fmt::format("\"{}\"", m.name), kGiven);
  block.add("nodes", fmt::to_string(m.nodes), kGiven);
  block.add("sockets_per_node", fmt::to_string(m.sockets), "given: sockets or NUMA domains");
  block.add("ranks_per_node", fmt::to_string(has_gpus(m) ? m.devices : m.sockets),
            has_gpus(m) ? "one for each device, as is usual" : "one for each socket, as is usual");
  if (copies(m)) block.add("messages", "\"host\"", "MPI may send from device memory, too: set \"device\"");
  return block.text();
}

double socket_memory_bytes(const NewPlatform& m) {
  return kOfMemory * m.memory_bytes / m.sockets;
}

/// Of Raven's cores: STREAM has 320 GB/s on 72 (platforms/raven.toml).
SourcedFigure memory_bandwidth(const NewPlatform& m) {
  constexpr double kOfCore = 4.4e9;
  if (has_gpus(m) && m.device->memory_bandwidth) return *m.device->memory_bandwidth;
  return {kOfCore * m.cores / m.sockets, "guess: 4.4 GB/s for each core, as Raven (platforms/raven.toml)"};
}

std::string socket_text(const NewPlatform& m) {
  Block block;
  block.add("cores", fmt::to_string(m.cores / m.sockets), fmt::format("given: {} in all", m.cores));
  block.add("devices", fmt::to_string((has_gpus(m) ? m.devices : m.cores) / m.sockets),
            has_gpus(m) ? fmt::format("given: {} in all", m.devices) : "the cores are the devices");
  block.add_quantity("memory", socket_memory_bytes(m), Dimension::bytes,
                     fmt::format("guess: 90% of {} given, by {} sockets",
                                 format_quantity(m.memory_bytes, Dimension::bytes), m.sockets));
  const SourcedFigure bandwidth = memory_bandwidth(m);
  block.add_rate("memory_bandwidth", bandwidth.value, bandwidth.comment);
  return "\n[socket]\n" + block.text();
}

std::string comment_lines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines += fmt::format("# {}\n", text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string points_text(const DeviceCurve& curve) {
  constexpr std::size_t kMostInLine = 3;
  std::string text = "points = [\n";
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& [m, n, k, gflops] = curve.points[i];
    constexpr double kGiga = 1e9;
    text += fmt::format("{}[{}, {}, {}, \"{}\"],{}", i % kMostInLine == 0 ? "  " : " ", m, n, k,
                        format_quantity(gflops * kGiga, Dimension::flops_per_s),
                        i % kMostInLine == kMostInLine - 1 || i + 1 == curve.points.size() ? "\n" : "");
  }
  return text + fmt::format("]  # {}\n", curve.comment);
}

std::string curve_text(const char* table, const DeviceCurve& curve, const SourcedFigure& launch,
                       bool streams) {
  if (curve.points.empty()) return {};
  Block block;
  block.add_quantity("latency", launch.value, Dimension::seconds, launch.comment);
  if (streams) block.add("streams", "1");
  return fmt::format("\n{}[device.{}]\n{}{}", comment_lines(curve.about), table, points_text(curve),
                     block.text());
}

std::string gpu_text(const NewPlatform& m) {
  const DeviceType& type = *m.device;
  Block block;
  block.add("kind", "\"gpu\"", fmt::format("given: {}", type.name));
  if (type.in_host_memory) {
    constexpr double kHalf = 0.5;
    block.add("in_host_memory", "true", fmt::format("as every {}", type.name));
    block.add_quantity("memory", kHalf * socket_memory_bytes(m) * m.sockets / m.devices, Dimension::bytes,
                       "guess: of the same memory, a half for what a product works on");
  } else {
    const double installed = m.device_memory_bytes.value_or(type.memory.value);
    block.add_quantity("memory", kOfMemory * installed, Dimension::bytes,
                       fmt::format("guess: 90% of {} {}", format_quantity(installed, Dimension::bytes),
                                   m.device_memory_bytes ? kGiven : type.memory.comment));
  }
  return "\n[device]\n" + block.text() + curve_text("kernel", type.kernel, type.launch, true) +
         curve_text("batched", type.batched, type.launch, false);
}

/// Rate of one core; the half sizes are Raven's.
std::string core_text(const NewPlatform& m) {
  constexpr double kRate = 30e9, kHalf = 0.5;
  Block block;
  block.add("kind", "\"core\"", "given: no GPUs");
  block.add_quantity("memory", kHalf * socket_memory_bytes(m) * m.sockets / m.cores, Dimension::bytes,
                     "guess: about half of the memory, in equal parts");
  Block kernel;
  kernel.add_quantity(
      "rate", m.core_flops_per_s.value_or(kRate), Dimension::flops_per_s,
      mark(m.core_flops_per_s,
           "guess: 25 of a core of an EPYC 7742, 77 nominal of a Xeon 8360Y (platforms/raven.toml)"));
  kernel.add("half_m", "33", "guess: as one core of a recent EPYC (platforms/raven.toml)");
  kernel.add("half_n", "15", "guess: the same");
  kernel.add("half_k", "11", "guess: the same");
  kernel.add("latency", "0", "guess: part of the half sizes");
  kernel.add("streams", "1");
  return "\n[device]\n" + block.text() + "\n[device.kernel]\n" + kernel.text();
}

std::string link_text(std::string_view name, std::string_view between, std::string_view between_comment,
                      const std::vector<std::pair<std::string_view, SourcedFigure>>& rates) {
  Block block;
  block.add("between", fmt::format("\"{}\"", between), between_comment);
  for (const auto& [key, figure] : rates) block.add_rate(key, figure.value, figure.comment);
  return fmt::format("\n[link.{}]\n{}", name, block.text());
}

SourcedFigure device_link(const NewPlatform& m) {
  if (m.device_link_bytes_per_s) return {*m.device_link_bytes_per_s, kGiven};
  return usual_device_link(m);
}

std::string device_link_text(const NewPlatform& m) {
  const DeviceLinks form = device_links(m);
  if (!copies(m) || m.devices == 1 || form == DeviceLinks::none) return {};
  const std::string gpus = range("gpu", m.devices);
  const bool pairs = form == DeviceLinks::pairs;
  return link_text(m.device->link, pairs ? gpus : gpus + "-switch",
                   mark(m.device_links, pairs ? "guess: each pair" : "guess: ports of one switch"),
                   {{"bandwidth", device_link(m)}});
}

/// Links between hosts and PCIe switches, and between these and GPUs.
std::string switched_between(const NewPlatform& m) {
  return spread("pcie", switches(m), "host", m.sockets) + " " + spread("gpu", m.devices, "pcie", switches(m));
}

std::string host_link_text(const NewPlatform& m) {
  if (!copies(m)) return {};
  SourcedFigure there = m.device->to_device, back = m.device->to_host;
  if (m.host_link) {
    there = {m.host_link->there, kGiven};
    back = {m.host_link->back, kGiven};
  }
  const bool switched = m.cards > 0 && card_place(m) == CardPlace::pcie;
  std::vector<std::pair<std::string_view, SourcedFigure>> rates{{"bandwidth", there}};
  if (there.value != back.value) rates.emplace_back("back_bandwidth", back);
  const std::string between =
      switched ? switched_between(m) : spread_ranges("gpu", m.devices, "host", m.sockets);
  return link_text("host", between, switched ? "" : "in equal parts", rates);
}

SourcedFigure between_hosts(const NewPlatform& m) {
  constexpr double kXeons = 60e9;
  if (has_gpus(m) && m.device->in_host_memory) return device_link(m);
  if (has_gpus(m) && m.device->hosts) return *m.device->hosts;
  if (m.sockets == 2) return {kXeons, "guess: three links between two recent Xeons"};
  return {memory_bandwidth(m).value, "guess: domains of one chip; no less than the memory of one has"};
}

std::string sockets_text(const NewPlatform& m) {
  if (m.sockets == 1) return {};
  return link_text("sockets", range("host", m.sockets), "each pair", {{"bandwidth", between_hosts(m)}});
}

/// A card between two dies of one package has a link to each.
std::string card_between(const NewPlatform& m) {
  switch (card_place(m)) {
    case CardPlace::host:
      return spread_ranges("card", m.cards, "host", m.sockets);
    case CardPlace::pcie:
      return spread("card", m.cards, "pcie", switches(m));
    case CardPlace::device:
      break;
  }
  if (m.devices % m.cards == 0) return fmt::format("{}-{}", range("card", m.cards), range("gpu", m.devices));
  return spread_ranges("card", m.cards, "gpu", m.devices);
}

std::string card_text(const NewPlatform& m) {
  if (m.cards == 0) return {};
  return link_text("card", card_between(m), mark(m.cards_at, "guess"),
                   {{"bandwidth", {m.card_bytes_per_s, kGiven}}});
}

std::string copy_text(const NewPlatform& m) {
  if (!has_gpus(m)) return {};
  Block block;
  block.add_quantity("latency", m.device->copy.value, Dimension::seconds, m.device->copy.comment);
  if (m.device->peer_copy)
    block.add_quantity("peer_latency", m.device->peer_copy->value, Dimension::seconds,
                       m.device->peer_copy->comment);
  return "\n[copy]\n" + block.text();
}

std::string message_text(const NewPlatform& m) {
  Block inside;
  inside.add("latency", "\"0.5 us\"", "guess: as in platforms/raven.toml");
  inside.add("bandwidth", "\"10 GB/s\"", "guess: a copy through shared memory");
  std::string text = "\n# Two ranks of one node, through host memory.\n[message]\n" + inside.text();
  if (m.cards == 0) return text;
  Block network;
  network.add("cards", fmt::to_string(m.cards), kGiven);
  network.add_rate("card_bandwidth", m.card_bytes_per_s, kGiven);
  network.add("latency", "\"1.7 us\"", "guess: as a step between nodes of Leonardo; 2.5 on Slingshot 11");
  return text + "\n# The fabric never limits: it is not described.\n[network]\n" + network.text();
}

std::string power_text(const NewPlatform& m) {
  constexpr double kBusyOfCore_w = 6, kIdle = 0.4;
  constexpr double kOfGpus =
      0.3;  // median of the shipped machines with GPUs: 0.1 (El Capitan) to 0.6 (DGX H100)
  Block block;
  const auto watts = [&](const char* key, const SourcedFigure& figure) {
    block.add_quantity(key, figure.value, Dimension::watts, figure.comment);
  };
  if (has_gpus(m)) {
    watts("device_idle", m.device->idle);
    watts("device_busy", m.device->busy);
  }
  const double of_cores = kBusyOfCore_w * m.cores;
  const double of_gpus = has_gpus(m) ? kOfGpus * m.devices * m.device->busy.value : 0;
  watts("node_idle", {kIdle * std::max(of_cores, of_gpus), "guess: of no node known; 40% of busy"});
  watts("node_busy", of_gpus > of_cores
                         ? SourcedFigure{of_gpus, "guess: 30% of what its GPUs take; 10 to 60% elsewhere"}
                         : SourcedFigure{of_cores, "guess: 6 W for each core"});
  return "\n[power]\n" + block.text();
}

std::string head_text(const NewPlatform& m, const std::string& body) {
  std::string text = fmt::format(
      "# {}: {} {} of {}, described by `foretile platform new`.\n#\n", m.name, m.nodes,
      m.nodes == 1 ? "node" : "nodes",
      has_gpus(m) ? fmt::format("{} {}", m.devices, m.device->name) : fmt::format("{} cores", m.cores));
  std::string sources;
  for (const auto& [name, place] : device_sources()) {
    if (body.find(fmt::format("[{}]", name)) != std::string::npos)
      sources += fmt::format("#   {:<6} {}\n", fmt::format("[{}]", name), place);
  }
  if (!sources.empty()) text += "# Sources of the device type's figures:\n" + sources;
  return text +
         "# The word first in a comment: given (when the file was made), measured, nominal (of the vendor), "
         "derived or guess.\n# Replace guesses by figures of the machine.\n\n";
}

}  // namespace

DeviceLinks usual_device_links(const NewPlatform& m) {
  constexpr int kMostInPairs = 4;  // more NVIDIA GPUs are behind switches
  if (!has_gpus(m)) return DeviceLinks::none;
  return m.device->port.value > 0 && m.devices > kMostInPairs ? DeviceLinks::switched : DeviceLinks::pairs;
}

SourcedFigure usual_device_link(const NewPlatform& m) {
  const DeviceType& type = *m.device;
  if (type.port.value == 0) return type.pair;
  const bool pairs = device_links(m) == DeviceLinks::pairs;
  return {pairs ? type.port.value / std::max(1, m.devices - 1) : type.port.value, type.port.comment};
}

CardPlace usual_card_place(const NewPlatform& m) {
  constexpr int kSwitched = 8;
  if (!copies(m) || m.device->memory_bandwidth) return CardPlace::host;
  if (m.device->carries_cards) return CardPlace::device;
  const bool switched = m.devices >= kSwitched && m.cards >= m.devices && switches(m) % m.sockets == 0;
  return switched ? CardPlace::pcie : CardPlace::host;
}

std::string new_platform_toml(const NewPlatform& m) {
  check(m);
  const std::string body =
      node_text(m) + socket_text(m) + (has_gpus(m) ? gpu_text(m) : core_text(m)) + device_link_text(m) +
      host_link_text(m) + sockets_text(m) + card_text(m) + copy_text(m) + message_text(m) +
      "\n[generation]\nrate = \"5 GB/s\"  # guess: one core, as in platforms/raven.toml\n" + power_text(m);
  return head_text(m, body) + body;
}

}  // namespace foretile
