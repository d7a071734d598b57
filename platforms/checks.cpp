// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/near.hpp"
#include "platforms/keys.hpp"
#include "platforms/runtime_source.hpp"

namespace foretile {

namespace {

bool only_for_gpus(Presence presence) {
  return presence != Presence::always && presence != Presence::optional && presence != Presence::with_table &&
         presence != Presence::optional_core && presence != Presence::cluster &&
         presence != Presence::with_cards;
}

std::string_view table_of(const PlatformKey& key) {
  return std::string_view(key.path).substr(0, key.path.rfind('.'));
}

/// Measured points take the place of a curve's rate and half sizes, which are fitted to them.
bool fitted_to_points(const PlatformKey& key, const FileView& file) {
  const std::string table(table_of(key));
  if (!file.has(table + ".points")) return false;
  const std::vector<std::string> fitted{table + ".rate", table + ".half_m", table + ".half_n",
                                        table + ".half_k"};
  return std::ranges::find(fitted, key.path) != fitted.end() && std::ranges::none_of(fitted, file.has);
}

bool needed(const PlatformKey& key, const Platform& p, const FileView& file) {
  if (fitted_to_points(key, file)) return false;
  const bool gpu = p.device.kind == DeviceKind::gpu;
  const bool tables = !p.links.tables.empty();
  const bool cards = p.network.cards.count > 0;
  switch (key.presence) {
    case Presence::always:
      return true;
    case Presence::only_gpu:
      return gpu && !tables;
    case Presence::gpu_peers:
      return gpu && !tables && p.devices_per_socket > 1;
    case Presence::gpu_sockets:
      return gpu && !tables && p.sockets > 1;
    case Presence::gpu_tables:
      return gpu && tables;
    case Presence::cluster:
      return p.nodes > 1 && (!cards || key.path == "network.latency");
    case Presence::with_cards:
      return cards;
    case Presence::with_table:
    case Presence::gpu_with_table:
      return file.has(table_of(key));
    case Presence::optional:
    case Presence::optional_gpu:
    case Presence::optional_core:
      break;
  }
  return false;
}

std::string reason(Presence presence) {
  switch (presence) {
    case Presence::gpu_peers:
      return " (there is more than one GPU on a socket)";
    case Presence::gpu_sockets:
      return " (there is more than one socket)";
    case Presence::cluster:
      return " (there is more than one node)";
    case Presence::with_table:
    case Presence::gpu_with_table:
      return " (its table is there)";
    case Presence::gpu_tables:
      return " (links are described in tables [link.NAME])";
    case Presence::with_cards:
      return " (network.cards is there)";
    default:
      return {};
  }
}

/// Keys of links that are alike for all devices.
bool is_uniform_link(std::string_view path) {
  return is_device_link(path) || path.starts_with("peer.") || path.starts_with("xbus.");
}

/// Of one of both ways to describe links.
void check_one_way(const PlatformKey& key, const Platform& platform, const FileView& file) {
  const bool tables = !platform.links.tables.empty();
  if (tables && platform.device.kind == DeviceKind::gpu && is_uniform_link(key.path) && file.has(key.path))
    throw input_error(file.where(key.path), "a link beside tables [link.NAME]", "links in one of both forms",
                      "make it a table [link.NAME] with `between`, or leave those out");
  if (!tables && key.presence != Presence::gpu_tables && !key.path.starts_with("copy.")) return;
  if (!tables && file.has(key.path))
    throw input_error(file.where(key.path), "no table [link.NAME]", "links that such tables describe",
                      "the latency of copies is that of nvlink.latency and peer.latency here");
}

void require(const PlatformKey& key, const FileView& file) {
  if (file.has(key.path)) return;
  const std::string expected =
      key.dimension == Dimension::number ? "a value" : std::string(expected_form(key.dimension));
  throw input_error(file.where(key.path), "no such key", expected + reason(key.presence), "add it");
}

/// The table that describes the link to the devices; exactly one is there.
std::string device_link(const FileView& file) {
  std::string found;
  for (const PlatformKey& key : platform_keys()) {
    if (!is_device_link(key.path) || !file.has(key.path)) continue;
    const std::string table = key.path.substr(0, key.path.find('.'));
    if (!found.empty() && found != table) {
      throw input_error(file.where(key.path), "a second kind of link", "one of nvlink, pcie, ...",
                        fmt::format("the devices have [{}] already", found));
    }
    found = table;
  }
  return found.empty() ? "nvlink" : found;
}

void check_device_link(const FileView& file) {
  const std::string table = device_link(file);
  require(*find_platform_key(table + ".latency"), file);
  const bool both = file.has(table + ".bandwidth");
  for (const char* one : {".h2d_bandwidth", ".d2h_bandwidth"}) {
    if (both && file.has(table + one)) {
      throw input_error(file.where(table + one), "one direction beside `bandwidth`",
                        "`bandwidth` for both directions, or h2d_bandwidth and d2h_bandwidth",
                        "leave one out");
    }
  }
  if (both) return;
  if (file.has(table + ".h2d_bandwidth") || file.has(table + ".d2h_bandwidth")) {
    require(*find_platform_key(table + ".h2d_bandwidth"), file);
    require(*find_platform_key(table + ".d2h_bandwidth"), file);
  } else {
    require(*find_platform_key(table + ".bandwidth"), file);
  }
}

}  // namespace

void check_presence(const Platform& platform, const FileView& file) {
  if (file.has("fabric.placement") && !file.has("fabric.type"))
    throw input_error(file.where("fabric.placement"), "a placement on a fabric that is not described",
                      "a platform with fabric.type, such as frontier",
                      "leave it (--placement) out: this fabric never limits");
  const bool gpu = platform.device.kind == DeviceKind::gpu;
  for (const PlatformKey& key : keys_of(platform)) {
    check_one_way(key, platform, file);
    if (!gpu && only_for_gpus(key.presence) && file.has(key.path)) {
      throw input_error(file.where(key.path), "a key for GPUs", "none where device.kind is \"core\"",
                        "leave it out");
    }
    if (gpu && key.presence == Presence::optional_core && file.has(key.path)) {
      throw input_error(file.where(key.path), "a key for cores", "none where device.kind is \"gpu\"",
                        "leave it out");
    }
    if (!is_device_link(key.path) && needed(key, platform, file)) require(key, file);
  }
  if (gpu && platform.links.tables.empty()) check_device_link(file);
}

namespace {

/// Both directions together are at least what one has alone.
void check_both(double both, double there, double back, const FileView& file, const std::string& key) {
  const double one = std::max(there, back);
  if (both == 0 || both >= one) return;
  throw input_error(
      file.where(key), format_quantity(both, Dimension::bytes_per_s),
      fmt::format("at least {}, what one direction has", format_quantity(one, Dimension::bytes_per_s)),
      "it is what both directions carry together; change all of them, or leave it out");
}

void check_both_ways(const NodeLinks& links, const FileView& file) {
  for (const LinkTable& t : links.tables) {
    check_both(t.both_bytes_per_s, t.bytes_per_s, t.back_bytes_per_s, file,
               "link." + t.name + ".both_bandwidth");
    check_both(t.all_both_bytes_per_s, t.all_bytes_per_s, t.all_back_bytes_per_s, file,
               "link." + t.name + ".all_both_bandwidth");
  }
  if (links.tables.empty())
    check_both(links.both_ways_bytes_per_s, links.host_to_device.bandwidth_bytes_per_s,
               links.device_to_host.bandwidth_bytes_per_s, file, device_link(file) + ".both_bandwidth");
}

constexpr std::array<std::string_view, 3> kFabrics = {"dragonfly", "dragonfly+", "fat-tree"};

void check_arithmetic(const DeviceModel& device, const FileView& file) {
  const std::string& name = device.arithmetic;
  if (name != "matrix" && name != "vector" && name != "emulated")
    throw input_error(file.where("device.arithmetic"), "\"" + name + "\"",
                      "\"matrix\", \"vector\" or \"emulated\"");
  if (!file.has("device." + name + ".rate") && !file.has("device." + name + ".points") && name != "matrix")
    throw input_error(file.where("device.arithmetic"),
                      "\"" + name + "\" without a table [device." + name + "]",
                      "a table with the curve of these products",
                      "add it, or set device.arithmetic = \"matrix\" for that of [device.kernel]");
}

void check_cards(const Platform& p, const FileView& file) {
  if (p.network.cards.count == 0 || !file.has("network.node_bandwidth")) return;
  throw input_error(file.where("network.node_bandwidth"), "a limit of the node beside network.cards",
                    "network.card_bandwidth, which each card has", "change that one, and leave this out");
}

void check_speeds(const Platform& p, const FileView& file) {
  const auto found = std::ssize(p.device_speeds);
  if (found == 0 || found == p.devices_per_node()) return;
  throw input_error(file.where("device.speeds"), fmt::format("{} numbers", found),
                    fmt::format("{}, one for each device of a node", p.devices_per_node()),
                    "add or remove some, or leave it out where all devices are alike");
}

void check_messages(const Platform& p, const FileView& file) {
  if (p.messages == "host") return;
  if (p.messages != "device")
    throw input_error(file.where("messages"), "\"" + p.messages + "\"", "\"host\" or \"device\"");
}

/// Watts while busy are at least those while idle.
void check_power(const Power& power, const FileView& file) {
  const auto check = [&](double idle, double busy, const char* key) {
    if (busy < idle)
      throw input_error(
          file.where(key), format_quantity(busy, Dimension::watts),
          fmt::format("at least {}, what it takes while idle", format_quantity(idle, Dimension::watts)));
  };
  check(power.device_idle_w, power.device_busy_w, "power.device_busy");
  check(power.node_idle_w, power.node_busy_w, "power.node_busy");
}

void check_fabric(const Platform& p, const FileView& file) {
  const Fabric& f = p.fabric;
  if (!f.type.empty() && std::ranges::find(kFabrics, f.type) == kFabrics.end())
    throw input_error(file.where("fabric.type"), "\"" + f.type + "\"",
                      fmt::format("\"{}\"", fmt::join(kFabrics, "\", \"")));
  if (f.leaf_nodes > 0 && f.group_nodes > 0 && f.leaf_nodes > f.group_nodes)
    throw input_error(file.where("fabric.leaf_nodes"), fmt::format("{}", f.leaf_nodes),
                      fmt::format("at most the {} nodes of a group", f.group_nodes));
  const auto needs = [&](double figure, int nodes, const char* key, const char* size) {
    if (figure > 0 && nodes == 0)
      throw input_error(file.where(key), "a limit of something without nodes",
                        fmt::format("{} beside it", size), "add it, or leave this out");
  };
  needs(f.leaf_bytes_per_s, f.leaf_nodes, "fabric.leaf_bandwidth", "fabric.leaf_nodes");
  needs(f.group_bytes_per_s, f.group_nodes, "fabric.group_bandwidth", "fabric.group_nodes");
  needs(f.pair_bytes_per_s, f.group_nodes, "fabric.pair_bandwidth", "fabric.group_nodes");
}

constexpr std::string_view kSource = "runtime.source";

void check_runtime_source(const Runtime& runtime, const FileView& file) {
  const std::vector<std::string>& known = runtime_sources();
  const std::string expected = fmt::format("\"{}\"", fmt::join(known, "\", \""));
  if (!file.has(kSource))
    throw input_error(file.where(kSource), "no such key", expected, "say whose costs [runtime] has");
  if (std::find(known.begin(), known.end(), runtime.source) != known.end()) return;
  throw input_error(file.where(kSource), "\"" + runtime.source + "\"", expected,
                    did_you_mean(runtime.source, known));
}

/// A table without software costs has none.
void check_no_costs(Platform platform, const FileView& file) {
  for (const PlatformKey& key : platform_keys()) {
    if (!key.path.starts_with("runtime.") || key.path == kSource || !file.has(key.path)) continue;
    const double cost = *std::get<double*>(key.slots(platform).front());
    if (cost == 0) continue;
    throw input_error(file.where(key.path), format_quantity(cost, key.dimension),
                      "no cost where runtime.source is \"none\"", "name another source, or leave it out");
  }
}

}  // namespace

void check_values(const Platform& platform, const FileView& file) {
  const bool gpu = platform.device.kind == DeviceKind::gpu;
  if (gpu && platform.devices_per_node() % platform.ranks_per_node != 0) {
    throw input_error(file.where("ranks_per_node"), fmt::format("{}", platform.ranks_per_node),
                      fmt::format("a divisor of the node's {} GPUs", platform.devices_per_node()));
  }
  if (gpu || !platform.links.tables.empty()) check_both_ways(platform.links, file);
  check_fabric(platform, file);
  check_cards(platform, file);
  check_speeds(platform, file);
  check_messages(platform, file);
  check_arithmetic(platform.device, file);
  check_power(platform.power, file);
  check_runtime_source(platform.runtime, file);
  if (platform.runtime.source == "none") check_no_costs(platform, file);
}

bool calibrated_while_busy(const Platform& platform) {
  constexpr double least_share = 0.9;
  return platform.calibration.core_share < least_share;
}

std::vector<std::string> platform_warnings(const Platform& p) {
  std::vector<std::string> warnings;
  if (p.estimated) {
    warnings.push_back(fmt::format(
        "{} is not calibrated: predictions are guesses; run mpiexec -n 2 foretile-run calibrate", p.name));
  }
  if (calibrated_while_busy(p)) {
    warnings.push_back(fmt::format(
        "{} was calibrated on a busy machine (the cores were ours for {:.2f} of the time): predictions are "
        "unsound; run mpiexec -n 2 foretile-run calibrate when nothing else runs",
        p.name, p.calibration.core_share));
  }
  if (!p.calibration.stable) {
    warnings.push_back(fmt::format(
        "{} was calibrated on a machine whose speed changed meanwhile: predictions may be off by as much",
        p.name));
  }
  return warnings;
}

void check_precision(const Platform& platform, Precision precision) {
  if (platform.device.kernel_for(precision).known()) return;
  throw input_error(platform.source + ": device.single", "no figures for single precision",
                    "rate, half_m, half_n, half_k and latency of products in single precision",
                    "add the table [device.single], by `foretile-run calibrate` or from a source, or use "
                    "precision = \"double\"");
}

}  // namespace foretile
