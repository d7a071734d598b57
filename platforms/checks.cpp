// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/near.hpp"
#include "platforms/keys.hpp"
#include "platforms/runtime_source.hpp"

namespace foretile {

namespace {

bool only_for_gpus(Presence presence) {
  return presence != Presence::always && presence != Presence::optional && presence != Presence::with_table &&
         presence != Presence::optional_core && presence != Presence::cluster;
}

std::string_view table_of(const PlatformKey& key) {
  return std::string_view(key.path).substr(0, key.path.rfind('.'));
}

bool needed(const PlatformKey& key, const Platform& p, const FileView& file) {
  const bool gpu = p.device.kind == DeviceKind::gpu;
  switch (key.presence) {
    case Presence::always:
      return true;
    case Presence::only_gpu:
      return gpu;
    case Presence::gpu_peers:
      return gpu && p.devices_per_socket > 1;
    case Presence::gpu_sockets:
      return gpu && p.sockets > 1;
    case Presence::cluster:
      return p.nodes > 1;
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
    default:
      return {};
  }
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
  const bool gpu = platform.device.kind == DeviceKind::gpu;
  for (const PlatformKey& key : platform_keys()) {
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
  if (gpu) check_device_link(file);
}

namespace {

/// Both directions together are at least what one has alone.
void check_both_ways(const NodeLinks& links, const FileView& file) {
  const double both = links.both_ways_bytes_per_s;
  const double one =
      std::max(links.host_to_device.bandwidth_bytes_per_s, links.device_to_host.bandwidth_bytes_per_s);
  if (both == 0 || both >= one) return;
  throw input_error(
      file.where(device_link(file) + ".both_bandwidth"), format_quantity(both, Dimension::bytes_per_s),
      fmt::format("at least {}, what one direction has", format_quantity(one, Dimension::bytes_per_s)),
      "it is what both directions carry together; change all of them, or leave it out");
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
  check_both_ways(platform.links, file);
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
