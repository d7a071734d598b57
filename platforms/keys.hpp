// SPDX-License-Identifier: BSD-3-Clause
// Every key of a platform file: its name, unit, range, and where its value goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/units.hpp"

namespace foretile {

/// A member of a Platform that a key fills.
using Slot = std::variant<double*, std::int64_t*, int*, bool*, std::string*, DeviceKind*>;

/// Which platforms must have a key. Those of GPUs are errors on platforms of cores, and the other way round.
enum class Presence {
  always,
  optional,
  with_table,      ///< where other keys of its table are there
  only_gpu,        ///< devices are GPUs
  optional_gpu,    ///< may be there where devices are GPUs
  optional_core,   ///< may be there where devices are cores
  gpu_with_table,  ///< GPUs, where other keys of its table are there
  gpu_peers,       ///< GPUs, more than one on a socket
  gpu_sockets,     ///< GPUs, more than one socket
  cluster          ///< more than one node
};

struct PlatformKey {
  std::string path;  ///< "nvlink.bandwidth"
  Dimension dimension = Dimension::number;
  double low = 0;  ///< smallest and largest value, both allowed
  double high = 0;
  Presence presence = Presence::always;
  std::vector<Slot> (*slots)(Platform&) = nullptr;
};

/// All keys, in the order in which files list them.
const std::vector<PlatformKey>& platform_keys();

/// The key of this name, or null.
const PlatformKey* find_platform_key(std::string_view path);

/// What may stand in a table: its keys, and the tables within it. `table` is empty for the whole file, else
/// ends in a dot. Nothing when there is no such table.
std::vector<std::string> names_in_table(std::string_view table);

/// Tables that describe the link between host and device; a platform of GPUs has exactly one of them.
const std::vector<std::string>& device_link_tables();

/// True for a key of one of these tables.
bool is_device_link(std::string_view path);

}  // namespace foretile
