#include "base/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

AtomicFile::AtomicFile(fs::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + fmt::format(".{}.tmp", ::getpid())),
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
  fs::rename(temporary_, path_);
  temporary_.clear();
}

void require_writable(const fs::path& path) {
  AtomicFile{path};
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
