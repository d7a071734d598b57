// SPDX-License-Identifier: BSD-3-Clause
#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/error.hpp"

namespace foretile {

namespace fs = std::filesystem;

namespace {

/// In the target's folder, so that a rename puts it in place; nobody can guess it.
std::string temporary_name(const std::string& name) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw WorkError(fmt::format("no random numbers from the system: {}", system_message()));
  constexpr std::size_t longest = 200;  // of the 255 bytes that a name may have
  return fmt::format("{}.{:016x}.tmp", name.substr(0, longest), number);
}

/// The mode that fits what could be kept: another group gets no more than everybody, and another owner no
/// right to act as that owner.
mode_t kept_mode(mode_t mode, bool owner, bool group) {
  if (!group) return (mode & (S_IRWXU | S_IRWXO)) | ((mode & S_IRWXO) << 3);
  return mode & (owner ? 07777 : 0777);
}

/// The place a path leads to, whatever it is called, as far as it exists.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : place;
}

int open_again(int folder, const char* name, int flags) {
  int file = -1;
  do {
    file = ::openat(folder, name, flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  } while (file < 0 && errno == EINTR);
  return file;
}

bool stream_is_writable(int stream) {
  const int flags = ::fcntl(stream, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/// Refuses what exists and may not be written.
void require_permission(const OutputPlace& place, const fs::path& path) {
  if (place.stream) {
    if (!stream_is_writable(place.stream.get())) refuse_output(path, "it is not open for writing");
  } else if (place.facts && ::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse_output(path, system_message());
  }
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(Descriptor file) : file_(std::move(file)) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type next) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  *pptr() = traits_type::to_char_type(next);
  pbump(1);
  return next;
}

int DescriptorBuffer::sync() {
  for (const char* at = pbase(); at < pptr() && error_ == 0;) {
    const ssize_t count = ::write(file_.get(), at, static_cast<std::size_t>(pptr() - at));
    if (count >= 0) {
      at += count;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

AtomicFile::AtomicFile(fs::path path)
    : path_(std::move(path)),
      place_(find_output_place(path_)),
      buffer_(place_.is_regular_or_missing() ? open_temporary() : open_file()),
      out_(&buffer_) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlinkat(place_.folder.get(), temporary_.c_str(), 0);
}

Descriptor AtomicFile::open_temporary() {
  require_permission(place_, path_);
  const mode_t mode = place_.facts ? S_IRUSR | S_IWUSR : 0666;  // an old file's own mode comes with commit()
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = temporary_name(place_.name);
    entry_.emplace(place_.folder.get(), name.c_str());
    Descriptor file(::openat(place_.folder.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file) {
      temporary_ = name;
      return file;
    }
    entry_.reset();  // not ours
    if (errno != EEXIST && errno != EINTR) break;
  }
  refuse_output(path_, system_message());
}

Descriptor AtomicFile::open_file() {
  require_permission(place_, path_);
  if (place_.stream) return std::move(place_.stream);
  Descriptor file(open_again(place_.folder.get(), place_.name.c_str(), O_WRONLY));
  if (!file) refuse_output(path_, system_message());
  return file;
}

void AtomicFile::keep_owner_and_mode() {
  if (!place_.facts) return;
  const int file = buffer_.file().get();
  const bool owner = ::fchown(file, place_.facts->st_uid, place_.facts->st_gid) == 0;
  const bool group = owner || ::fchown(file, static_cast<uid_t>(-1), place_.facts->st_gid) == 0;
  if (::fchmod(file, kept_mode(place_.facts->st_mode, owner, group)) != 0)
    throw WorkError(fmt::format("{}: its mode could not be kept: {}", path_.string(), system_message()));
}

void AtomicFile::put_in_place() {
  const int folder = place_.folder.get();
  if (::renameat(folder, temporary_.c_str(), folder, place_.name.c_str()) != 0)
    throw WorkError(fmt::format("{}: could not be put in place: {}", path_.string(), system_message()));
  temporary_.clear();
  entry_.reset();
}

void AtomicFile::commit() {
  out_.flush();
  if (!temporary_.empty()) keep_owner_and_mode();
  errno = 0;
  const bool closed = buffer_.file().close();
  if (!out_ || !closed) {
    if (buffer_.error() != 0) errno = buffer_.error();
    throw WorkError(fmt::format("{}: could not be written whole: {}", path_.string(), system_message()));
  }
  if (!temporary_.empty()) put_in_place();
}

void require_writable(const fs::path& path) {
  const OutputPlace place = find_output_place(path);
  if (place.is_regular_or_missing()) {
    AtomicFile{path};
  } else {
    require_permission(place, path);
  }
}

void require_different(std::string_view option, const fs::path& path, std::string_view other_option,
                       const fs::path& other) {
  if (path.empty() || other.empty() || place_of(path) != place_of(other)) return;
  throw input_error(fmt::format("{} and {}", option, other_option),
                    fmt::format("the same file '{}'", path.string()), "two files", "rename one of them");
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
}

}  // namespace foretile
