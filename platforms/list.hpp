// SPDX-License-Identifier: BSD-3-Clause
// The platforms that have a name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// Whose machine it is, in the order of lists.
enum class PlatformGroup : std::uint8_t {
  here,    ///< this machine
  own,     ///< of the user's configuration folder
  today,   ///< ships; a line "# Group: today" in the comment at its top
  papers,  ///< ships; of a paper whose figures foretile is compared with
};

/// "this machine", ...
std::string_view title_of(PlatformGroup group);

struct NamedPlatform {
  std::string name;
  std::string description;        ///< first line of the file, a comment; may be empty
  std::filesystem::path file;     ///< empty: `here` before its calibration
  std::filesystem::path shadows;  ///< the file that ships and has the same name; empty if there is none
  PlatformGroup group = PlatformGroup::papers;  ///< by the folder and the comment at the top
};

/// Files of the user's configuration folder (user_configuration_folder()) and those that ship, by group and
/// name. A user's own file is taken before one that ships.
std::vector<NamedPlatform> named_platforms();

/// The file of a name without folder and ending: the user's own, else the one that ships, else empty.
std::filesystem::path find_platform_file(const std::string& name);

/// Says that the user's own file of this name hides one that ships; empty when it does not.
std::string shadow_warning(const std::string& name);

}  // namespace foretile
