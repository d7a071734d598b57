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
  bool of_copies = false;             ///< limits the bytes of copies between host memory and devices
  bool of_messages = false;           ///< limits messages: their bytes, or is a latency or software cost
};

/// All resources of the platform that a run on this machine uses, in the order of its keys. `more_devices`:
/// more devices per socket make the machine larger (not so when it was asked for by a number of devices).
std::vector<Improvement> improvements(const Machine& machine, bool more_devices);

/// Those of `improvements` that are on one way, together: what bytes pass one behind the other caps each
/// other, so that none alone may save what all save. All of copies, all of messages, and all of both (copies
/// and messages may take equally long beside each other), where that is more than one resource.
std::vector<Improvement> joint_improvements(const std::vector<Improvement>& improvements);

}  // namespace foretile
