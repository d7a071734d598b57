// SPDX-License-Identifier: BSD-3-Clause
// Whether a file is still what it was.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>

namespace foretile {

/// What changes when a program writes to a file, or puts another one in its place. Programs may set the time
/// of the last write; they cannot set that of the last change (ctime). Writes within the same tick of the
/// file system's clock that leave the size may stay unseen.
struct FileStamp {
  std::uint64_t device = 0, number = 0;
  std::int64_t bytes = 0, written_s = 0, written_ns = 0, changed_s = 0, changed_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

inline FileStamp stamp_of(const struct stat& facts) {
  return {facts.st_dev,          facts.st_ino,         facts.st_size,        facts.st_mtim.tv_sec,
          facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec};
}

/// Nothing where there is no such file, or it may not be asked.
inline std::optional<FileStamp> stamp_of(int descriptor) {
  struct stat facts = {};
  return ::fstat(descriptor, &facts) == 0 ? std::optional(stamp_of(facts)) : std::nullopt;
}
inline std::optional<FileStamp> stamp_of(const char* path) {
  struct stat facts = {};
  return ::stat(path, &facts) == 0 ? std::optional(stamp_of(facts)) : std::nullopt;
}

}  // namespace foretile
