// SPDX-License-Identifier: BSD-3-Clause
// What a platform would be with one resource twice as good.
#pragma once

#include <string>
#include <vector>

#include "platforms/machine.hpp"

namespace foretile {

/// One resource twice as good: twice the rate, number or size, half the latency or software cost.
struct Improvement {
  std::string resource;               ///< "network bandwidth"
  std::vector<std::string> settings;  ///< "platform.KEY=VALUE", as parse_platform() takes them; no spaces
};

/// All resources of the platform that a run on this machine uses, in the order of its keys. `more_devices`:
/// more devices per socket make the machine larger (not so when it was asked for by a number of devices).
std::vector<Improvement> improvements(const Machine& machine, bool more_devices);

}  // namespace foretile
