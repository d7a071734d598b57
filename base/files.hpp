// Reading whole files and writing them so that nothing half-written is ever seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace foretile {

/// The whole file as text. Throws InputError when it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// A file that appears under its name when it is complete: written under a temporary name beside it, renamed
/// by commit(), removed without.
class AtomicFile {
 public:
  /// Throws InputError when the folder is missing or not writable.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return out_; }
  /// Throws WorkError when not all could be written or the file could not be renamed.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::ofstream out_;
};

/// Throws InputError when `path` cannot be written: to be asked before long work.
void require_writable(const std::filesystem::path& path);

/// Throws InputError when both options name the same output file; an empty path names none.
void require_different(std::string_view option, const std::filesystem::path& path,
                       std::string_view other_option, const std::filesystem::path& other);

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
