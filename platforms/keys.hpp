// SPDX-License-Identifier: BSD-3-Clause
// Every key of a platform file: its name, unit, range, and where its value goes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/units.hpp"

namespace foretile {

/// A member of a Platform that a key fills.
using Slot = std::variant<double*, std::int64_t*, int*, bool*, std::string*, DeviceKind*,
                          std::vector<KernelPoint>*, std::vector<double>*>;

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
  gpu_tables,      ///< GPUs behind links that tables [link.NAME] describe
  cluster,         ///< more than one node, without network.cards
  with_cards       ///< where network.cards is there
};

struct PlatformKey {
  std::string path;  ///< "nvlink.bandwidth"
  Dimension dimension = Dimension::number;
  double low = 0;  ///< smallest and largest value, both allowed
  double high = 0;
  Presence presence = Presence::always;
  std::function<std::vector<Slot>(Platform&)> slots;
};

/// All keys, in the order in which files list them. A name that files choose is "*": "link.*.bandwidth".
const std::vector<PlatformKey>& platform_keys();

/// The same with the names that a file has chosen: "link.nvlink.bandwidth".
std::vector<PlatformKey> keys_with(const std::vector<std::string>& link_names);
std::vector<PlatformKey> keys_of(const Platform& platform);

/// The key of this name, or null. Of "link.nvlink.bandwidth" it has that path, and slots of the table of that
/// name.
const PlatformKey* find_platform_key(std::string_view path);

/// What may stand in a table: its keys, and the tables within it. `table` is empty for the whole file, else
/// ends in a dot. Nothing when there is no such table, or names in it are the file's choice.
std::vector<std::string> names_in_table(std::string_view table);

/// Whether tables within this one have names of the file's choice: "link.".
bool has_free_names(std::string_view table);

/// Tables that describe the link between host and device; a platform of GPUs has exactly one of them.
const std::vector<std::string>& device_link_tables();

/// True for a key of one of these tables.
bool is_device_link(std::string_view path);

}  // namespace foretile
