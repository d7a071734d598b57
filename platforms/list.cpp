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

/// Without "#" and blanks at its begin.
std::string_view without_sign(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
  return line;
}

/// "# Summit (Oak Ridge): ..." -> "Summit (Oak Ridge): ...", and whether the comment says "Group: today".
void describe(NamedPlatform& platform) {
  std::string text;
  try {
    text = read_text(platform.file);
  } catch (const InputError&) {
    platform.description = "cannot be read";
    return;
  }
  std::string_view rest = text;
  for (bool first = true; rest.starts_with('#'); first = false) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = without_sign(rest.substr(0, end));
    if (first) platform.description = line;
    if (line == "Group: today") platform.group = PlatformGroup::today;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
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

std::string_view title_of(PlatformGroup group) {
  switch (group) {
    case PlatformGroup::here:
      return "this machine";
    case PlatformGroup::own:
      return "your own machines";
    case PlatformGroup::today:
      return "machines of today";
    case PlatformGroup::papers:
      break;
  }
  return "machines of papers";
}

fs::path find_platform_file(const std::string& name) {
  if (!is_plain_name(name)) return {};
  const fs::path own = own_file(name);
  return own.empty() ? shipped_file(name) : own;
}

std::vector<NamedPlatform> named_platforms() {
  std::map<std::string, NamedPlatform> found;
  found["here"] = {
      "here", "this machine, not calibrated: run mpiexec -n 2 foretile-run calibrate", {}, {}, {}};
  add_names(user_configuration_folder(), found);
  add_names(find_data("platforms"), found);
  std::vector<NamedPlatform> all;
  for (auto& [name, platform] : found) {
    platform.file = find_platform_file(name);
    if (!platform.file.empty()) describe(platform);
    if (!own_file(name).empty()) {
      platform.group = PlatformGroup::own;
      platform.shadows = shipped_file(name);
    }
    if (name == "here") platform.group = PlatformGroup::here;
    all.push_back(std::move(platform));
  }
  std::ranges::stable_sort(all, {}, &NamedPlatform::group);
  return all;
}

std::string shadow_warning(const std::string& name) {
  if (!is_plain_name(name)) return {};
  const fs::path own = own_file(name), shipped = shipped_file(name);
  if (own.empty() || shipped.empty()) return {};
  return fmt::format("platform {} is your own {}; it hides {}", name, own.string(), shipped.string());
}

}  // namespace foretile
