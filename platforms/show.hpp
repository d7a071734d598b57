// SPDX-License-Identifier: BSD-3-Clause
// A platform as text for people and as JSON for scripts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platforms/platform.hpp"

namespace foretile {

/// Every figure of the file by its key, with its unit; how many are of each kind (FigureKind), and the
/// guesses; and the drawing of a node.
std::string show_platform(const Platform& platform);

/// One node: its sockets with cores and memory, the devices of each socket, the links between them with the
/// bandwidth of each direction, and the network where there is more than one node.
std::string draw_node(const Platform& platform);

/// For scripts: {"name", "source", "estimated", "devices_per_node", "cores_per_node", "figures": {KEY:
/// value}, "kinds": {FigureKind: number}, "guesses": [KEY]} with the keys of the file and values in SI units.
nlohmann::json platform_summary_json(const Platform& platform);

}  // namespace foretile
