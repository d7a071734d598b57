// SPDX-License-Identifier: BSD-3-Clause
// Where an output path leads: links are followed here, with care.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace foretile {

/// The end of an output path after all links. Either `folder` and `name` are set, or `stream`.
struct OutputPlace {
  Descriptor folder;
  std::string name;                  ///< in `folder`; no link when it was looked up
  std::optional<struct stat> facts;  ///< empty: there is nothing of that name
  Descriptor stream;                 ///< of /dev/stdout and the like: the stream that is already open

  bool is_regular_or_missing() const { return !stream && (!facts || S_ISREG(facts->st_mode)); }
};

/// Follows `path` link by link. Throws InputError for a missing or forbidden folder, a folder as the target,
/// a loop of links, and a link of another user in a folder that others may write: a planted link must not
/// choose which file is overwritten (compare protected_symlinks in proc_sys_fs(5)).
OutputPlace find_output_place(const std::filesystem::path& path);

/// Opens a file that grows in place, for reading and appending; makes it when it is missing. Follows links
/// as find_output_place() does. Throws InputError, also for what is not a regular file.
Descriptor open_growing_file(const std::filesystem::path& path);

/// "no place to write", with the reason and what to change.
[[noreturn]] void refuse_output(const std::filesystem::path& path, const std::string& reason);

}  // namespace foretile
