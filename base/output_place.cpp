// SPDX-License-Identifier: BSD-3-Clause
#include "base/output_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <deque>
#include <string_view>

#include "base/error.hpp"

namespace foretile {

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;  // as in Linux, path_resolution(7)
constexpr int kOpenFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// The system's folders belong to root. In a user namespace without root they seem to be of user 65534.
bool belongs_to_system(uid_t owner) {
  constexpr uid_t unmapped = 65534;
  return owner == 0 || (owner == unmapped && ::geteuid() != 0);
}

bool others_may_write(const struct stat& folder) {
  if ((folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) return true;
  return folder.st_uid != ::geteuid() && !belongs_to_system(folder.st_uid);
}

/// The number in "/dev/stdout", "/dev/fd/3", "/proc/self/fd/3". Their links cannot be followed by name.
std::optional<int> stream_number(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
}

/// One path being followed; `rest` are the components that are still to come.
class Walk {
 public:
  explicit Walk(const fs::path& path) : path_(path) { go_to(path.string()); }

  OutputPlace end() {
    while (!place_.stream && !rest_.empty()) step();
    if (!place_.stream && place_.name.empty()) refuse_output(path_, "it is a folder");
    return std::move(place_);
  }

 private:
  void fail() const { refuse_output(path_, system_message()); }

  /// The start of the path, or the target of a link: absolute, or relative to the folder it is in.
  void go_to(const std::string& target) {
    if (target.empty()) refuse_output(path_, "the path is empty");
    if (const auto number = stream_number(target); number && rest_.empty()) return open_stream(*number);
    const bool absolute = target.front() == '/';
    if (absolute || !place_.folder) place_.folder = Descriptor(::open(absolute ? "/" : ".", kOpenFolder));
    if (!place_.folder) fail();
    for (auto end = target.size(); end != std::string::npos && end > 0;) {
      const auto slash = target.rfind('/', end - 1);
      const auto begin = slash == std::string::npos ? 0 : slash + 1;
      rest_.push_front(target.substr(begin, end - begin));
      end = slash;
    }
  }

  void open_stream(int number) {
    place_.stream = Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    if (!place_.stream) fail();
  }

  void step() {
    const std::string name = rest_.front();
    rest_.pop_front();
    if (name.empty() || name == ".") return;
    struct stat facts = {};
    if (::fstatat(place_.folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT || !rest_.empty()) fail();
      place_.name = name;
    } else if (S_ISLNK(facts.st_mode)) {
      follow(name, facts);
    } else if (!rest_.empty() || S_ISDIR(facts.st_mode)) {
      enter(name);
    } else {
      place_.name = name;
      place_.facts = facts;
    }
  }

  void enter(const std::string& name) {
    Descriptor inner(::openat(place_.folder.get(), name.c_str(), kOpenFolder));
    if (!inner) fail();
    place_.folder = std::move(inner);
  }

  void follow(const std::string& name, const struct stat& link) {
    if (++links_ > kMostLinks) refuse_output(path_, "a loop of links");
    struct stat folder = {};
    if (::fstat(place_.folder.get(), &folder) != 0) fail();
    if (link.st_uid != ::geteuid() && others_may_write(folder))
      throw input_error(path_.string(),
                        fmt::format("the link '{}' of another user in a folder that others may write", name),
                        "a path that other users cannot redirect", "write to the link's target itself");
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(place_.folder.get(), name.c_str(), target.data(), target.size());
    if (length < 0) fail();
    go_to(std::string(target.data(), static_cast<std::size_t>(length)));
  }

  const fs::path& path_;
  OutputPlace place_;
  std::deque<std::string> rest_;
  int links_ = 0;
};

}  // namespace

void refuse_output(const fs::path& path, const std::string& reason) {
  throw input_error(path.string(), fmt::format("no place to write ({})", reason), "a writable folder",
                    "check the output path");
}

OutputPlace find_output_place(const fs::path& path) {
  return Walk(path).end();
}

Descriptor open_growing_file(const fs::path& path) {
  const OutputPlace place = find_output_place(path);
  if (!place.is_regular_or_missing())
    throw input_error(path.string(), "no regular file", "a regular file or a new name", "check the path");
  // Should anything else have come there meanwhile: O_NOFOLLOW for a link, O_NONBLOCK for a FIFO.
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file(::openat(place.folder.get(), place.name.c_str(), flags, 0666));
  if (!file) refuse_output(path, system_message());
  return file;
}

}  // namespace foretile
