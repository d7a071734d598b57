// SPDX-License-Identifier: BSD-3-Clause
// The platforms that have a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foretile {

struct NamedPlatform {
  std::string name;
  std::string description;        ///< first line of the file, a comment; may be empty
  std::filesystem::path file;     ///< empty: `here` before its calibration
  std::filesystem::path shadows;  ///< the file that ships and has the same name; empty if there is none
};

/// Files of the user's configuration folder (user_configuration_folder()) and those that ship, by name. A
/// user's own file comes before one that ships.
std::vector<NamedPlatform> named_platforms();

/// The file of a name without folder and ending: the user's own, else the one that ships, else empty.
std::filesystem::path find_platform_file(const std::string& name);

/// Says that the user's own file of this name hides one that ships; empty when it does not.
std::string shadow_warning(const std::string& name);

}  // namespace foretile
