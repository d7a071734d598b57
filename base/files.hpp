// Reading whole files and writing them so that nothing half-written is ever seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace foretile {

/// The whole file as text. Throws InputError when it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// Writes to a temporary name beside `path` and renames it when `write` returned. Throws InputError when the
/// folder is missing or not writable; removes the temporary file when anything throws.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// 64-bit FNV-1a digest as 16 hexadecimal digits (http://www.isthe.com/chongo/tech/comp/fnv/).
std::string digest(std::string_view text);

/// Where files that ship with foretile lie: $FORETILE_DATA, else `share/foretile` beside the program's `bin`,
/// else the source tree. `relative` is for example "platforms/summit.toml". Empty when it is not there.
std::filesystem::path find_data(const std::filesystem::path& relative);

/// $XDG_CONFIG_HOME/foretile, else ~/.config/foretile. It need not exist.
std::filesystem::path user_configuration_folder();

}  // namespace foretile
