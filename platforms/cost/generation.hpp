// SPDX-License-Identifier: BSD-3-Clause
// How long it takes to make tiles where they are used: to compute them, or to read them from a file.
#pragma once

#include <algorithm>
#include <cstdint>

#include "platforms/cost/link.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Bytes of a part of a tile, at least. A part takes 2.6 us to hand out (CpuBackend, Intel Xeon), a megabyte
/// 60 us (in the cache) to 3 ms (0.3 GB/s) to make. More than scheduler/options joins in one operation.
inline constexpr std::int64_t kLeastPartBytes = 1'000'000;

/// How many of `cores` make a tile together: at least 1.
inline int parts_of_tile(std::int64_t bytes, int cores, std::int64_t least_part_bytes = kLeastPartBytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / least_part_bytes, 1, std::max(1, cores)));
}

/// Bytes of the largest part when `cores` generate a tile together: no tile is generated in less time than
/// this takes.
inline double largest_part_bytes(std::int64_t bytes, std::int64_t element_bytes, int cores) {
  const std::int64_t parts = parts_of_tile(bytes, cores);
  const std::int64_t elements = (bytes / element_bytes + parts - 1) / parts;
  return static_cast<double>(elements * element_bytes);
}

/// Of tiles on a machine. All in seconds; a rate that is not known never limits.
class GenerationTimes {
 public:
  /// `reads`: tiles come from a file, by cores.
  GenerationTimes(const Machine& machine, bool reads)
      : machine_(machine), p_(machine.platform), reads_(reads) {}

  /// Whether GPUs make their tiles themselves.
  bool on_device() const {
    return p_.has_device_memory() && !reads_ && p_.generation_bytes_per_s_on_device > 0;
  }
  /// Of GPUs that make tiles.
  double device_s(double bytes, double devices = 1) const {
    return over(bytes, devices * p_.generation_bytes_per_s_on_device);
  }
  /// Of cores. From a file: while the node's other cores read nothing.
  double core_s(double bytes, double cores = 1) const { return over(bytes, cores * core_bytes_per_s()); }
  /// Until the bytes of a file have passed to so many nodes; nothing for tiles that are computed.
  double file_s(double bytes, double nodes = 1) const {
    return reads_ ? over(bytes, nodes * p_.file_bytes_per_s_per_node) : 0.0;
  }
  /// Until the cores of a rank have generated a tile together, each a part of it; at least.
  double tile_s(std::int64_t bytes, std::int64_t element_bytes) const {
    const int cores = p_.cores_of_tile(machine_.cores_per_rank());
    return core_s(largest_part_bytes(bytes, element_bytes, cores)) /
           (p_.device.kind == DeviceKind::core ? p_.solo_speedup : 1);
  }

 private:
  double core_bytes_per_s() const {
    if (!reads_) return p_.generation_bytes_per_s_per_core;
    const double core = p_.file_bytes_per_s_per_core, node = p_.file_bytes_per_s_per_node;
    return core > 0 && node > 0 ? std::min(core, node) : std::max(core, node);
  }

  const Machine& machine_;
  const Platform& p_;
  bool reads_;
};

}  // namespace foretile
