// SPDX-License-Identifier: BSD-3-Clause
// The temporary files that this process is writing, so that a signal handler can remove them.
#pragma once

#include <filesystem>
#include <optional>

#include "base/descriptor.hpp"

namespace foretile {

/// While it exists, remove_temporary_files() removes the file. At most 64 are remembered at a time, and no
/// name longer than 255 bytes; further files are not removed.
class TemporaryFileEntry {
 public:
  /// `folder` is an open descriptor that outlives the entry, `name` a file in it. The file need not exist
  /// yet.
  TemporaryFileEntry(int folder, const char* name) noexcept;
  ~TemporaryFileEntry();
  TemporaryFileEntry(const TemporaryFileEntry&) = delete;
  TemporaryFileEntry& operator=(const TemporaryFileEntry&) = delete;

 private:
  int slot_ = -1;
};

/// A temporary file that another process writes: a signal to this one removes it, too. MPI ends all ranks
/// when one gets a signal, and gives those that write no time.
class TemporaryFileOfOthers {
 public:
  /// Nothing is remembered where the folder cannot be opened.
  explicit TemporaryFileOfOthers(const std::filesystem::path& file);

 private:
  Descriptor folder_;
  std::optional<TemporaryFileEntry> entry_;
};

/// Removes the temporary files of this process, but not those of its parent. Async-signal-safe: it calls
/// only getpid() and unlinkat(), and keeps errno. For handlers of signals that end the process.
void remove_temporary_files() noexcept;

}  // namespace foretile
