// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "platforms/figures.hpp"
#include "platforms/guesses.hpp"

namespace foretile {

namespace {

using Lines = std::vector<std::string>;

constexpr int most_devices_drawn = 8;  // of one socket; the others are named by first and last

std::string bandwidth(double value) {
  return format_quantity(value, Dimension::bytes_per_s);
}
std::string bytes(std::int64_t value) {
  return format_quantity(static_cast<double>(value), Dimension::bytes);
}
std::string rate(double value) {
  return format_quantity(value, Dimension::flops_per_s);
}

std::string plural(int number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::size_t widest(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, line.size());
  return width;
}

Lines boxed(const Lines& inside) {
  const std::size_t width = widest(inside);
  const std::string edge = fmt::format("+{:-<{}}+", "", width + 2);
  Lines box = {edge};
  for (const std::string& line : inside) box.push_back(fmt::format("| {:<{}} |", line, width));
  box.push_back(edge);
  return box;
}

/// Of a large product: where points were measured, the curve's own rate is only what is left of a fit.
double rate_of(const KernelModel& kernel) {
  constexpr std::int64_t kCube = 4096;
  if (kernel.points.empty()) return kernel.rate_flops_per_s;
  return 2.0 * kCube * kCube * kCube / kernel.seconds(kCube, kCube, kCube);
}

std::string device_text(const Platform& p) {
  return fmt::format("{}, {}", bytes(p.device.memory_bytes),
                     rate(rate_of(p.device.kernel_for(Precision::f64))));
}

std::string cores_text(const Platform& p) {
  std::string cores = fmt::format("{} core{}", p.cores_per_socket, p.cores_per_socket == 1 ? "" : "s");
  if (!p.core.kernel.known()) return cores;
  return fmt::format("{}, {} each beside the GPUs", cores, rate(p.core.kernel.rate_flops_per_s));
}

Lines socket_box(const Platform& p, int socket) {
  Lines inside = {fmt::format("socket {}", socket), cores_text(p),
                  fmt::format("memory {}, {}", bytes(p.memory_bytes_per_socket),
                              bandwidth(p.memory_bandwidth_bytes_per_s))};
  if (p.device.kind == DeviceKind::core)
    inside.push_back(p.devices_per_socket == p.cores_per_socket
                         ? fmt::format("a device is a core with {}", device_text(p))
                         : fmt::format("{} logical device{} with {}", p.devices_per_socket,
                                       p.devices_per_socket == 1 ? "" : "s", device_text(p)));
  return boxed(inside);
}

/// One line per GPU of the socket, all at the end of a link of their own.
Lines gpu_branch(const Platform& p, int socket) {
  const int first = socket * p.devices_per_socket;
  const int drawn = std::min(p.devices_per_socket, most_devices_drawn);
  Lines lines;
  for (int i = 0; i < drawn; ++i) {
    lines.push_back(fmt::format("+-- GPU {}: {}", first + i, device_text(p)));
  }
  if (drawn < p.devices_per_socket) {
    lines.back() = fmt::format("+-- ... to GPU {}, the same", first + p.devices_per_socket - 1);
  }
  return lines;
}

/// The box and, from its first inner line on, the branch to its right.
Lines side_by_side(const Lines& box, const Lines& branch) {
  const std::size_t width = widest(box);
  Lines lines;
  for (std::size_t i = 0; i < std::max(box.size(), branch.size() + 1); ++i) {
    std::string line = i < box.size() ? box[i] : std::string(width, ' ');
    if (i >= 1 && i <= branch.size()) line += (i == 1 ? "---" : "   ") + branch[i - 1];
    lines.push_back(line);
  }
  return lines;
}

Lines socket_lines(const Platform& p, int socket) {
  const Lines box = socket_box(p, socket);
  return p.device.kind == DeviceKind::gpu ? side_by_side(box, gpu_branch(p, socket)) : box;
}

std::string cross_socket_line(const Platform& p) {
  if (p.device.kind == DeviceKind::core || !p.links.tables.empty()) return "      |";
  return fmt::format("      |  X-bus: {} each way", bandwidth(p.links.cross_socket.bandwidth_bytes_per_s));
}

void add(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

void add_network(Lines& lines, const Platform& p) {
  if (p.nodes == 1) return;
  lines.push_back("      |");
  lines.push_back(fmt::format("    network: {} of a node, {} of one rank, each way",
                              bandwidth(p.network.node_injection_bytes_per_s),
                              bandwidth(p.network.message.bandwidth_bytes_per_s)));
}

/// "100 GB/s", "28.3 GB/s, back 25.2 GB/s, both 40 GB/s".
std::string directions(double there, double back, double both) {
  std::string text = bandwidth(there);
  if (back != there) text += ", back " + bandwidth(back);
  if (both > 0) text += ", both ways " + bandwidth(both);
  return text;
}

void add_link_tables(Lines& lines, const Platform& p) {
  for (const LinkTable& t : p.links.tables) {
    std::string line = fmt::format("{}: {}, each {}", t.name, t.between,
                                   directions(t.bytes_per_s, t.back_bytes_per_s, t.both_bytes_per_s));
    if (t.all_bytes_per_s > 0 || t.all_back_bytes_per_s > 0 || t.all_both_bytes_per_s > 0)
      line += ", together " + directions(t.all_bytes_per_s, t.all_back_bytes_per_s, t.all_both_bytes_per_s);
    lines.push_back(line);
  }
  if (p.device.in_host_memory) lines.emplace_back("GPUs work in host memory: nothing is copied");
}

void add_cards(Lines& lines, const Platform& p) {
  const Cards& cards = p.network.cards;
  if (cards.count > 0)
    lines.push_back(fmt::format("{} of {}, {} for a rank{}", plural(cards.count, "network card"),
                                bandwidth(cards.bytes_per_s), cards.of_rank, cards.shared ? ", shared" : ""));
  const Fabric& f = p.fabric;
  if (f.type.empty()) return;
  std::string line = f.type;
  if (f.leaf_nodes > 0) line += fmt::format(", leaves of {}", plural(f.leaf_nodes, "node"));
  if (f.group_nodes > 0) line += fmt::format(", groups of {}", plural(f.group_nodes, "node"));
  if (f.pair_bytes_per_s > 0) line += fmt::format(", {} between two groups", bandwidth(f.pair_bytes_per_s));
  lines.push_back("fabric: " + line);
}

void add_link_legend(Lines& lines, const Platform& p) {
  add_link_tables(lines, p);
  add_cards(lines, p);
  if (!p.has_device_memory() || !p.links.tables.empty()) return;
  const NodeLinks& links = p.links;
  lines.push_back(fmt::format("host to GPU {}, GPU to host {} each; {} per socket and direction",
                              bandwidth(links.host_to_device.bandwidth_bytes_per_s),
                              bandwidth(links.device_to_host.bandwidth_bytes_per_s),
                              bandwidth(links.socket_host_to_device_bytes_per_s)));
  if (links.both_ways_bytes_per_s > 0) {
    lines.push_back(
        fmt::format("both directions of a GPU together {}", bandwidth(links.both_ways_bytes_per_s)));
  }
  if (p.devices_per_socket > 1) {
    lines.push_back(fmt::format("GPU to GPU on a socket {}", bandwidth(links.peer.bandwidth_bytes_per_s)));
  }
}

void add_rank_legend(Lines& lines, const Platform& p) {
  if (p.ranks_per_node == 1) return;
  lines.push_back(fmt::format("rank to rank on a node {}", bandwidth(p.links.message.bandwidth_bytes_per_s)));
}

}  // namespace

std::string draw_node(const Platform& p) {
  Lines lines = {
      fmt::format("one of {}, {} on it", plural(p.nodes, "node"), plural(p.ranks_per_node, "rank")), ""};
  const int drawn = std::min(p.sockets, 4);
  for (int socket = 0; socket < drawn; ++socket) {
    if (socket > 0) lines.push_back(cross_socket_line(p));
    add(lines, socket_lines(p, socket));
  }
  if (drawn < p.sockets)
    lines.push_back(fmt::format("      ... {} more, the same", plural(p.sockets - drawn, "socket")));
  add_network(lines, p);
  lines.push_back("");
  add_link_legend(lines, p);
  add_rank_legend(lines, p);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

namespace {

using Kinds = std::vector<std::pair<std::string, FigureKind>>;

std::size_t count_of(const Kinds& kinds, FigureKind kind) {
  return static_cast<std::size_t>(std::ranges::count(kinds, kind, &Kinds::value_type::second));
}

std::vector<std::string> guesses_in(const Kinds& kinds) {
  std::vector<std::string> guesses;
  for (const auto& [key, kind] : kinds) {
    if (kind == FigureKind::guess) guesses.push_back(key);
  }
  return guesses;
}

/// Items with commas between them, in lines of up to 100 characters.
std::string wrapped(const std::vector<std::string>& items, const std::string& indent) {
  constexpr std::size_t most = 100;
  std::string text, line = indent;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (line.size() > indent.size() && line.size() + 1 + item.size() > most) {
      text += line + "\n";
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += item;
  }
  return text + line + "\n";
}

/// How many figures are of each kind, and which are guesses.
std::string kinds_text(const Platform& platform) {
  const Kinds kinds = figure_kinds(platform);
  std::string text = fmt::format("{} figures: {} measured, {} nominal, {} derived, {} guessed, {} unmarked\n",
                                 kinds.size(), count_of(kinds, FigureKind::measured),
                                 count_of(kinds, FigureKind::nominal), count_of(kinds, FigureKind::derived),
                                 count_of(kinds, FigureKind::guess), count_of(kinds, FigureKind::unmarked));
  const std::vector<std::string> guesses = guesses_in(kinds);
  return guesses.empty() ? text : text + "guesses:\n" + wrapped(guesses, "  ");
}

}  // namespace

std::string show_platform(const Platform& platform) {
  Platform copy = platform;
  std::string text = fmt::format("{}{}, from {}\n\n", platform.name,
                                 platform.estimated ? " (guessed, not measured)" : "", platform.source);
  const std::vector<Figure> figures = platform_figures(copy);
  std::size_t width = 24;
  for (const Figure& figure : figures) width = std::max(width, figure.key->path.size());
  for (const Figure& figure : figures) {
    text += fmt::format("  {:<{}} {}\n", figure.key->path, width, figure_text(figure));
  }
  return text + "\n" + kinds_text(platform) + "\n" + draw_node(platform);
}

namespace {

struct JsonValue {
  nlohmann::json operator()(const DeviceKind* kind) const {
    return *kind == DeviceKind::gpu ? "gpu" : "core";
  }
  nlohmann::json operator()(const std::vector<KernelPoint>* points) const {
    nlohmann::json rows = nlohmann::json::array();
    for (const KernelPoint& x : *points) rows.push_back({x.m, x.n, x.k, x.flops_per_s});
    return rows;
  }
  template <typename Value>
  nlohmann::json operator()(const Value* value) const {
    return *value;
  }
};

}  // namespace

nlohmann::json platform_summary_json(const Platform& platform) {
  Platform copy = platform;
  nlohmann::json figures = nlohmann::json::object();
  for (const Figure& figure : platform_figures(copy)) {
    figures[figure.key->path] =
        std::visit([](const auto* value) { return JsonValue{}(value); }, figure.value);
  }
  const Kinds kinds = figure_kinds(platform);
  nlohmann::json counts = nlohmann::json::object();
  for (const FigureKind kind : kFigureKinds) counts[std::string(name_of(kind))] = count_of(kinds, kind);
  return {{"name", platform.name},
          {"source", platform.source},
          {"estimated", platform.estimated},
          {"devices_per_node", platform.devices_per_node()},
          {"cores_per_node", platform.cores_per_node()},
          {"figures", figures},
          {"kinds", counts},
          {"guesses", guesses_in(kinds)}};
}

}  // namespace foretile
