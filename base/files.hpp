// SPDX-License-Identifier: BSD-3-Clause
// Reading whole files, and where files are. Writing them is in base/atomic_file.hpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace foretile {

/// No input may be longer.
constexpr std::size_t kLargestInput_bytes = std::size_t{256} << 20;

/// The whole file as text. Throws InputError when it is no regular file (a FIFO, a device or a folder), is
/// larger than kLargestInput_bytes, or cannot be read.
std::string read_text(const std::filesystem::path& path);

/// The same of a file that is open, from its start.
std::string read_text(const Descriptor& file, const std::filesystem::path& path);

/// 64-bit FNV-1a digest as 16 hexadecimal digits (http://www.isthe.com/chongo/tech/comp/fnv/).
std::string digest(std::string_view text);

/// The running program's file; empty where the system does not say.
std::filesystem::path own_program();

/// Where files that ship with foretile are: $FORETILE_DATA, else `share/foretile` beside the program's `bin`,
/// else the source tree. `relative` is for example "platforms/summit.toml". Empty when it is not there.
std::filesystem::path find_data(const std::filesystem::path& relative);

/// $XDG_CONFIG_HOME/foretile, else ~/.config/foretile. It need not exist.
std::filesystem::path user_configuration_folder();

}  // namespace foretile
