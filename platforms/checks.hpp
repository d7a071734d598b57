// SPDX-License-Identifier: BSD-3-Clause
// Rules of a platform file that concern more than one key.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// What a check may ask about the file.
struct FileView {
  std::function<bool(std::string_view)> has;           ///< is the key there?
  std::function<std::string(std::string_view)> where;  ///< "file:line: key", for messages; any key
};

/// Keys that the platform needs are there, and none that it cannot have. Call when the values are filled in.
void check_presence(const Platform& platform, const FileView& file);

/// Values agree with each other: ranks divide a node's GPUs, and the like.
void check_values(const Platform& platform, const FileView& file);

/// Whether other work took cores while the platform was measured.
bool calibrated_while_busy(const Platform& platform);

/// One sentence for each reason to doubt what is predicted with the platform: guesses, or a calibration of a
/// busy or drifting machine.
std::vector<std::string> platform_warnings(const Platform& platform);

/// The platform has figures for products of this precision. Call where a machine meets a contraction. Throws
/// InputError that says what to add.
void check_precision(const Platform& platform, Precision precision);

}  // namespace foretile
