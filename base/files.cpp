#include "base/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  if (fs::is_directory(path)) throw input_error(path.string(), "a folder", "a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw input_error(path.string(), "no readable file", "a file", "check the path");
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

namespace {

/// Two files of one process never share it, even under the same path.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<int> count{0};
  return path.string() + fmt::format(".{}.{}.tmp", ::getpid(), count++);
}

/// The place a path leads to, whatever it is called, as far as it exists.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : place;
}

}  // namespace

AtomicFile::AtomicFile(fs::path path)
    : path_(std::move(path)),
      temporary_(temporary_name(path_)),
      out_(temporary_, std::ios::binary | std::ios::trunc) {
  if (out_ && !fs::is_directory(path_)) return;
  if (out_) std::remove(temporary_.c_str());
  throw input_error(path_.string(), "no place to write", "a writable folder", "check the output path");
}

AtomicFile::~AtomicFile() {
  if (temporary_.empty()) return;
  out_.close();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  out_.close();
  if (!out_)
    throw WorkError(fmt::format("{}: could not be written whole; is the disk full?", path_.string()));
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error)
    throw WorkError(fmt::format("{}: could not be put in place: {}", path_.string(), error.message()));
  temporary_.clear();
}

void require_writable(const fs::path& path) {
  AtomicFile{path};
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

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

fs::path find_data(const fs::path& relative) {
  std::error_code ignored;
  std::vector<fs::path> roots;
  if (const char* given = std::getenv("FORETILE_DATA")) roots.emplace_back(given);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) roots.push_back(program.parent_path().parent_path() / "share/foretile");
  roots.emplace_back(FORETILE_SOURCE_DIR);
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
