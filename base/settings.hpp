// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Named values that users, tuner and plans set: "grid.p" -> "2".
#pragma once

#include <map>
#include <string>

namespace foretile {

/// Keys are dotted names as in `--set key=value`. Each consumer checks its own keys.
using Settings = std::map<std::string, std::string>;

}  // namespace foretile
