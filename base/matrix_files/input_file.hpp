// SPDX-License-Identifier: BSD-3-Clause
// An input file of any size, read by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/file_stamp.hpp"

namespace foretile {

class InputFile {
 public:
  /// Throws InputError for what is missing, no regular file or not readable.
  explicit InputFile(const std::string& path);
  /// A file that is already open. `path` is for messages.
  InputFile(Descriptor file, std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }  ///< when it was opened

  /// Bytes [begin, begin + bytes). Throws WorkError when the file does not have them (any more).
  void read(std::int64_t begin, std::int64_t bytes, std::byte* to) const;
  /// Whether a program wrote to the file since it was opened, also through a map (mmap) that was there before
  /// where notes_every_write().
  bool is_changed() const { return stamp_of(file_.get()) != stamp_; }
  /// Of the file system: false where a write through a map, or from another node, may leave the times as they
  /// are (tmpfs, NFS) and for file systems that are not known.
  bool notes_every_write() const;
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  /// The whole file mapped to memory, by the first call. Null where the system cannot map it.
  const std::byte* mapped() const;

 private:
  Descriptor file_;
  std::string path_;
  std::int64_t bytes_ = 0;
  std::optional<FileStamp> stamp_;
  mutable std::once_flag map_once_;
  mutable void* map_ = nullptr;
};

}  // namespace foretile
