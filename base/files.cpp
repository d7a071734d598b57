#include "base/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
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

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path temporary = path.string() + fmt::format(".{}.tmp", ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw input_error(path.string(), "no place to write", "a writable folder", "check the output path");
  }
  try {
    write(out);
    out.close();
    if (!out)
      throw WorkError(fmt::format("{}: could not be written whole; is the disk full?", path.string()));
    fs::rename(temporary, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
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
