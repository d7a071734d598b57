// SPDX-License-Identifier: BSD-3-Clause
#include "base/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/file_stamp.hpp"
#include "base/file_system.hpp"

namespace foretile {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestName = 200;  // of the 255 bytes that a name may have
constexpr std::size_t kDigits = 16;
constexpr std::string_view kTemporary = ".tmp";

/// In the target's folder, so that a rename puts it in place; it cannot be guessed.
std::string temporary_name(const std::string& name) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw WorkError(fmt::format("no random numbers from the system: {}", system_message()));
  return fmt::format("{}.{:0{}x}{}", name.substr(0, kLongestName), number, kDigits, kTemporary);
}

bool is_temporary_of(std::string_view found, const std::string& name) {
  const std::string begin = name.substr(0, kLongestName) + ".";
  if (found.size() != begin.size() + kDigits + kTemporary.size() || !found.starts_with(begin) ||
      !found.ends_with(kTemporary))
    return false;
  return std::ranges::all_of(found.substr(begin.size(), kDigits), [](char digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  });
}

Descriptor open_listing(int folder) {
  return Descriptor(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::vector<std::string> temporaries_of(int folder, const std::string& name) {
  Descriptor listing = open_listing(folder);
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(listing ? ::fdopendir(listing.get()) : nullptr,
                                                    [](DIR* open) { return ::closedir(open); });
  if (!entries) return found;
  listing.release();
  while (const dirent* entry = ::readdir(entries.get())) {
    if (is_temporary_of(entry->d_name, name)) found.emplace_back(entry->d_name);
  }
  return found;
}

/// Of the open file, apart from the locks that the HDF5 library takes (flock). 0 or an error number.
int lock_open_file(int file) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

bool is_still(int folder, const std::string& name, int file) {
  struct stat there = {}, own = {};
  return ::fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(file, &own) == 0 &&
         there.st_dev == own.st_dev && there.st_ino == own.st_ino;
}

/// Removes temporary files whose process is gone, where the locks of all processes are seen. Returns how many
/// are being written.
int remove_dead(int folder, const std::string& name) {
  int live = 0;
  for (const std::string& found : temporaries_of(folder, name)) {
    const Descriptor file(
        ::openat(folder, found.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) continue;  // of another process
    const int error = lock_open_file(file.get());
    if (error == EAGAIN || error == EACCES) ++live;
    if (error == 0 && has_locks_of_all(file_system_of(file.get())) && is_still(folder, found, file.get()))
      ::unlinkat(folder, found.c_str(), 0);
  }
  return live;
}

/// Of all programs that look at a file and then put another one in its place. Waits a second at most.
class FolderLock {
 public:
  explicit FolderLock(int folder) : listing_(open_listing(folder)) {
    const struct timespec pause = {0, 10'000'000};
    for (int i = 0; i < 100 && listing_ && ::flock(listing_.get(), LOCK_EX | LOCK_NB) != 0; ++i)
      ::nanosleep(&pause, nullptr);
  }

 private:
  Descriptor listing_;
};

/// NAME-1.h5 of NAME.h5.
std::string name_beside(const std::string& name, int number) {
  const fs::path path(name);
  return fmt::format("{}-{}{}", path.stem().string().substr(0, kLongestName), number,
                     path.extension().string());
}

/// Not where there is a file of that name already: EEXIST.
int rename_to_free_name(int folder, const char* from, const char* to) {
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::linkat(folder, from, folder, to, 0) != 0) return errno;
  ::unlinkat(folder, from, 0);
  return 0;
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

/// False where the file was taken for a dead one and removed at this moment.
bool AtomicFile::take_lock(int file, const std::string& name) {
  if (const int error = lock_open_file(file); error == EAGAIN || error == EACCES) return false;
  lock_ = Descriptor(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  return is_still(place_.folder.get(), name, file);
}

Descriptor AtomicFile::open_temporary() {
  require_permission(place_, path_);
  others_ = remove_dead(place_.folder.get(), place_.name);
  const mode_t mode = place_.facts ? S_IRUSR | S_IWUSR : 0666;  // an old file's own mode comes with commit()
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = temporary_name(place_.name);
    entry_.emplace(place_.folder.get(), name.c_str());
    Descriptor file(::openat(place_.folder.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file && take_lock(file.get(), name)) {
      temporary_ = name;
      return file;
    }
    entry_.reset();  // not ours
    if (!file && errno != EEXIST && errno != EINTR) break;
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

fs::path AtomicFile::put_beside() {
  const int folder = place_.folder.get();
  int error = EEXIST;
  for (int number = 1; number < 10'000 && error == EEXIST; ++number) {
    const std::string name = name_beside(place_.name, number);
    error = rename_to_free_name(folder, temporary_.c_str(), name.c_str());
    if (error != 0) continue;
    temporary_.clear();
    entry_.reset();
    return path_.parent_path() / name;
  }
  errno = error;
  throw WorkError(
      fmt::format("{}: another program wrote to it meanwhile, and no file beside it could be made: {}",
                  path_.string(), system_message()));
}

void AtomicFile::commit() {
  close_whole();
  if (!temporary_.empty()) put_in_place();
}

fs::path AtomicFile::commit_or_put_beside() {
  close_whole();
  if (temporary_.empty()) return path_;
  const FolderLock held(place_.folder.get());
  struct stat now = {};
  std::optional<FileStamp> found, before;
  if (::fstatat(place_.folder.get(), place_.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0)
    found = stamp_of(now);
  if (place_.facts) before = stamp_of(*place_.facts);
  if (found != before) return put_beside();
  put_in_place();
  return path_;
}

void AtomicFile::close_whole() {
  out_.flush();
  if (!temporary_.empty()) keep_owner_and_mode();
  errno = 0;
  const bool closed = buffer_.file().close();
  if (!out_ || !closed) {
    if (buffer_.error() != 0) errno = buffer_.error();
    throw WorkError(fmt::format("{}: could not be written whole: {}", path_.string(), system_message()));
  }
}

bool is_same_file(const fs::path& x, const fs::path& y) {
  struct stat first = {}, second = {};
  return ::stat(x.c_str(), &first) == 0 && ::stat(y.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
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
  if (path.empty() || other.empty()) return;
  if (place_of(path) != place_of(other) && !is_same_file(path, other)) return;
  throw input_error(fmt::format("{} and {}", option, other_option),
                    fmt::format("the same file '{}'", path.string()), "two files", "rename one of them");
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
}

}  // namespace foretile
