// SPDX-License-Identifier: BSD-3-Clause
#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/source_folder.hpp"

namespace foretile {

namespace fs = std::filesystem;

namespace {

/// What is there instead of a regular file.
const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a FIFO or pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

InputError too_large(const fs::path& path) {
  return input_error(path.string(), fmt::format("more than {} MiB", kLargestInput_bytes >> 20),
                     fmt::format("an input file of at most {} MiB", kLargestInput_bytes >> 20));
}

/// The size as the system states it; files in /proc state 0.
std::size_t size_of_regular(const Descriptor& file, const fs::path& path) {
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) throw input_error(path.string(), system_message(), "a readable file");
  if (!S_ISREG(facts.st_mode))
    throw input_error(path.string(), kind_of(facts.st_mode), "a regular file",
                      "write the input into a file and give its path");
  return static_cast<std::size_t>(facts.st_size);
}

std::string text_of(const Descriptor& file, const fs::path& path) {
  const std::size_t size = size_of_regular(file, path);
  std::string text;
  if (size <= kLargestInput_bytes) text.reserve(size);
  std::vector<char> part(std::size_t{1} << 16);
  while (std::max(size, text.size()) <= kLargestInput_bytes) {
    const ssize_t count = ::pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw input_error(path.string(), system_message(), "a readable file");
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  throw too_large(path);
}

std::string text_at(const fs::path& path) {
  if (path.native().find('\0') != std::string::npos)
    throw input_error(path.string(), "a NUL character in the path", "the path of a regular file",
                      "remove it");
  // O_NONBLOCK: a FIFO without a writer must not block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file) return text_of(file, path);
  const std::string found = fmt::format("no readable file ({})", system_message());
  const fs::path shipped = !path.empty() && *path.begin() == "examples" ? find_data(path) : fs::path();
  throw input_error(path.string(), found, "a regular file",
                    shipped.empty() ? "check the path" : "take " + quote(shipped.string()));
}

}  // namespace

std::string read_text(const Descriptor& file, const fs::path& path) {
  return with_page(HelpPage::wrong_file, [&] { return text_of(file, path); });
}

std::string read_text(const fs::path& path) {
  return with_page(HelpPage::wrong_file, [&] { return text_at(path); });
}

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

fs::path own_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

fs::path find_data(const fs::path& relative) {
  std::error_code ignored;
  std::vector<fs::path> roots;
  if (const char* given = std::getenv("FORETILE_DATA")) roots.emplace_back(given);
  const fs::path program = own_program();
  if (!program.empty()) roots.push_back(program.parent_path().parent_path() / "share/foretile");
  roots.emplace_back(source_folder());
  for (const fs::path& root : roots) {
    if (fs::exists(root / relative, ignored)) return root / relative;
  }
  return {};
}

fs::path user_configuration_folder() {
  if (const char* given = std::getenv("XDG_CONFIG_HOME"); given && *given)
    return fs::path(given) / "foretile";
  const char* home = std::getenv("HOME");
  return fs::path(home ? home : ".") / ".config/foretile";
}

}  // namespace foretile
