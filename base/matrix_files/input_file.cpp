// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/error.hpp"
#include "base/file_system.hpp"

namespace foretile {

namespace {

// O_NONBLOCK: a FIFO without a writer must not block.
constexpr int kOpenInput = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

Descriptor open_input(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throw input_error(path, "no path of a file", "the path of a regular file", "check the path");
  Descriptor file(::open(path.c_str(), kOpenInput));
  if (file) return file;
  throw input_error(path, fmt::format("no readable file ({})", system_message()), "a regular file",
                    "check the path");
}

std::int64_t size_of_regular(const Descriptor& file, const std::string& path) {
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) throw input_error(path, system_message(), "a readable file");
  if (!S_ISREG(facts.st_mode))
    throw input_error(path, S_ISDIR(facts.st_mode) ? "a folder" : "no regular file", "a regular file",
                      "give the path of a file");
  return facts.st_size;
}

/// Two writes in one tick of the file system's clock have the same time.
bool is_of_this_tick(const FileStamp& stamp) {
  constexpr std::int64_t kTick_ns = 20'000'000;
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t age_s = now.tv_sec - stamp.changed_s;
  if (age_s < 0 || age_s > 1) return false;
  const std::int64_t age_ns = age_s * 1'000'000'000 + now.tv_nsec - stamp.changed_ns;
  return age_ns >= 0 && age_ns < kTick_ns;
}

/// After it, every later write changes the stamp. What another program wrote through a map goes to the disk
/// first (fdatasync): then the system notes the time of the next write through that map.
std::optional<FileStamp> settled_stamp(int file) {
  static_cast<void>(::fdatasync(file));  // a file system that cannot has the stamp alone
  auto stamp = stamp_of(file);
  for (int i = 0; i < 5 && stamp && is_of_this_tick(*stamp); ++i) {
    const struct timespec tick = {0, 20'000'000};
    ::nanosleep(&tick, nullptr);
    stamp = stamp_of(file);
  }
  return stamp;
}

}  // namespace

InputFile::InputFile(const std::string& path) : InputFile(open_input(path), path) {}

InputFile::InputFile(Descriptor file, std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      bytes_(size_of_regular(file_, path_)),
      stamp_(settled_stamp(file_.get())) {}

InputFile::~InputFile() {
  if (map_) ::munmap(map_, static_cast<std::size_t>(bytes_));
}

void InputFile::read(std::int64_t begin, std::int64_t bytes, std::byte* to) const {
  while (bytes > 0) {
    const ssize_t count = ::pread(file_.get(), to, static_cast<std::size_t>(bytes), begin);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw WorkError(fmt::format("{}: could not be read: {}", path_, system_message()));
    if (count == 0) throw WorkError(fmt::format("{}: ends at byte {}; it was longer before", path_, begin));
    begin += count;
    bytes -= count;
    to += count;
  }
}

bool InputFile::notes_every_write() const {
  return foretile::notes_every_write(file_system_of(file_.get()));
}

const std::byte* InputFile::mapped() const {
  std::call_once(map_once_, [this] {
    if (bytes_ == 0) return;
    void* map = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ, MAP_SHARED, file_.get(), 0);
    if (map != MAP_FAILED) map_ = map;
  });
  return static_cast<const std::byte*>(map_);
}

}  // namespace foretile
