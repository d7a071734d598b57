// SPDX-License-Identifier: BSD-3-Clause
// The temporary files that this process is writing, so that a signal handler can remove them.
#pragma once

#include <exception>
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

  /// The file stays known to the end of the process.
  void outlive() noexcept { slot_ = -1; }

 private:
  int slot_ = -1;
};

/// A temporary file that another process writes: a signal to this one, or an error of this one alone, removes
/// it, too. MPI then ends all ranks, and gives those that write no time.
class TemporaryFileOfOthers {
 public:
  /// Nothing is remembered where the folder cannot be opened.
  explicit TemporaryFileOfOthers(const std::filesystem::path& file);
  /// Forgets the file, but not where an exception ends its scope: who catches that may end the job.
  ~TemporaryFileOfOthers();
  TemporaryFileOfOthers(const TemporaryFileOfOthers&) = delete;
  TemporaryFileOfOthers& operator=(const TemporaryFileOfOthers&) = delete;

 private:
  int exceptions_before_ = std::uncaught_exceptions();
  Descriptor folder_;
  std::optional<TemporaryFileEntry> entry_;
};

/// Removes the temporary files of this process, but not those of its parent. Async-signal-safe: it calls
/// only getpid() and unlinkat(), and keeps errno. For handlers of signals that end the process.
void remove_temporary_files() noexcept;

}  // namespace foretile
