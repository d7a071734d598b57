// SPDX-License-Identifier: BSD-3-Clause
// The temporary files that this process is writing, so that a signal handler can remove them.
#pragma once

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

/// Removes the temporary files of this process, but not those of its parent. Async-signal-safe: it calls
/// only getpid() and unlinkat(), and keeps errno. For handlers of signals that end the process.
void remove_temporary_files() noexcept;

}  // namespace foretile
