// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "platforms/here.hpp"

namespace foretile {

namespace fs = std::filesystem;

namespace {

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find_first_of("/.") == std::string::npos;
}

fs::path own_file(const std::string& name) {
  std::error_code ignored;
  const fs::path file = user_configuration_folder() / (name + ".toml");
  return fs::is_regular_file(file, ignored) ? file : fs::path();
}

fs::path shipped_file(const std::string& name) {
  return find_data(fs::path("platforms") / (name + ".toml"));
}

/// "# Summit (Oak Ridge): ..." -> "Summit (Oak Ridge): ...".
std::string description_of(const fs::path& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const InputError&) {
    return "cannot be read";
  }
  std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (!line.starts_with('#')) return {};
  line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
  return std::string(line);
}

/// A folder that is missing has none.
void add_names(const fs::path& folder, std::map<std::string, NamedPlatform>& found) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().stem().string();
    const bool regular = entry.is_regular_file(ignored);
    if (regular && entry.path().extension() == ".toml" && is_plain_name(name)) found[name].name = name;
  }
}

}  // namespace

fs::path find_platform_file(const std::string& name) {
  if (!is_plain_name(name)) return {};
  const fs::path own = own_file(name);
  return own.empty() ? shipped_file(name) : own;
}

std::vector<NamedPlatform> named_platforms() {
  std::map<std::string, NamedPlatform> found;
  found["here"] = {"here", "this machine, not calibrated: run mpiexec -n 2 foretile-run calibrate", {}, {}};
  add_names(user_configuration_folder(), found);
  add_names(find_data("platforms"), found);
  std::vector<NamedPlatform> all;
  for (auto& [name, platform] : found) {
    platform.file = find_platform_file(name);
    if (!platform.file.empty()) platform.description = description_of(platform.file);
    if (!own_file(name).empty()) platform.shadows = shipped_file(name);
    all.push_back(std::move(platform));
  }
  return all;
}

std::string shadow_warning(const std::string& name) {
  if (!is_plain_name(name)) return {};
  const fs::path own = own_file(name), shipped = shipped_file(name);
  if (own.empty() || shipped.empty()) return {};
  return fmt::format("platform {} is your own {}; it hides {}", name, own.string(), shipped.string());
}

}  // namespace foretile
