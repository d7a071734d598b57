// A platform as text for people.
#pragma once

#include <string>

#include "platforms/platform.hpp"

namespace foretile {

/// Every figure of the file by its key, with its unit, and the drawing of a node.
std::string show_platform(const Platform& platform);

/// One node: its sockets with cores and memory, the devices of each socket, the links between them with the
/// bandwidth of each direction, and the network where there is more than one node.
std::string draw_node(const Platform& platform);

}  // namespace foretile
