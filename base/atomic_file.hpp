// SPDX-License-Identifier: BSD-3-Clause
// Writing files so that nothing half-written is ever seen, and nothing else is harmed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/output_place.hpp"
#include "base/temporary_files.hpp"

namespace foretile {

/// A buffer of an output stream over a file descriptor.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(Descriptor file);

  Descriptor& file() { return file_; }
  /// `errno` of the first write that failed, else 0.
  int error() const { return error_; }

 private:
  int_type overflow(int_type next) override;
  int sync() override;

  Descriptor file_;
  int error_ = 0;
  std::array<char, 65536> buffer_;
};

/// An output file that appears under its name when it is complete: commit() puts it in place; without
/// commit() nothing changes. Links are followed to their target (find_output_place() says which are refused).
/// A file that exists keeps its mode, and its owner where the system allows; a new one obeys the umask. What
/// is no regular file (a device, a FIFO, /dev/stdout) is written directly and stays what it is.
/// The temporary file is locked (fcntl) as long as it is written: those of processes that were killed
/// are removed when the same file is written again, but not on file systems that several nodes share: there
/// a lock may not be seen.
class AtomicFile {
 public:
  /// Throws InputError when the folder is missing or forbidden, or the file may not be written. Waits for a
  /// reader when `path` is a FIFO.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return out_; }
  /// Throws WorkError when not all could be written or the file could not be put in place.
  void commit();
  /// The same where the file is as it was when this object was made. Otherwise it stays as it is, and what
  /// was written gets a free name beside it: NAME-1.h5. Returns the path.
  std::filesystem::path commit_or_put_beside();
  /// Whether another process was writing the same file when this object was made.
  bool is_written_by_another() const { return others_ > 0; }

 private:
  Descriptor open_temporary();
  Descriptor open_file();
  bool take_lock(int file, const std::string& name);
  void keep_owner_and_mode();
  void close_whole();
  void put_in_place();
  std::filesystem::path put_beside();

  std::filesystem::path path_;
  OutputPlace place_;
  std::string temporary_;  ///< its name in the folder of `place_`; empty when there is none
  std::optional<TemporaryFileEntry> entry_;
  int others_ = 0;
  Descriptor lock_;  ///< of the temporary file, until it has its name
  DescriptorBuffer buffer_;
  std::ostream out_;
};

/// Throws InputError when `path` cannot be written: to be asked before long work. Leaves everything as it is;
/// a FIFO or device is not opened.
void require_writable(const std::filesystem::path& path);

/// Whether both lead to one regular file, whatever they are called.
bool is_same_file(const std::filesystem::path& x, const std::filesystem::path& y);

/// Throws InputError when both options name the same output file; an empty path names none.
void require_different(std::string_view option, const std::filesystem::path& path,
                       std::string_view other_option, const std::filesystem::path& other);

/// What `write` writes becomes the content of `path`, as AtomicFile says. Throws what AtomicFile throws;
/// changes nothing when `write` throws.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace foretile
