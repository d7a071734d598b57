#include "platforms/checks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "platforms/keys.hpp"

namespace foretile {

namespace {

bool only_for_gpus(Presence presence) {
  return presence != Presence::always && presence != Presence::optional && presence != Presence::cluster;
}

bool needed(Presence presence, const Platform& p) {
  const bool gpu = p.device.kind == DeviceKind::gpu;
  switch (presence) {
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
    case Presence::optional:
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
    if (!is_device_link(key.path) && needed(key.presence, platform)) require(key, file);
  }
  if (gpu) check_device_link(file);
}

void check_values(const Platform& platform, const FileView& file) {
  const bool gpu = platform.device.kind == DeviceKind::gpu;
  if (gpu && platform.devices_per_node() % platform.ranks_per_node != 0) {
    throw input_error(file.where("ranks_per_node"), fmt::format("{}", platform.ranks_per_node),
                      fmt::format("a divisor of the node's {} GPUs", platform.devices_per_node()));
  }
}

}  // namespace foretile
