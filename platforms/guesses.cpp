// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/guesses.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <string_view>

#include "platforms/keys.hpp"

namespace foretile {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_marked(const toml::source_region& value, const std::vector<std::string_view>& lines) {
  if (value.end.line == 0 || value.end.line > lines.size()) return false;
  const std::string_view line = lines[value.end.line - 1];
  const std::size_t end = std::min<std::size_t>(value.end.column - 1, line.size());
  return line.substr(end).find("guess") != std::string_view::npos;
}

/// What an estimate knows: from the system, not from a guess.
bool is_known_here(const PlatformKey& key) {
  return key.dimension == Dimension::number || key.dimension == Dimension::bytes;
}

}  // namespace

std::vector<std::string> guessed_keys(const Platform& platform) {
  const toml::table table = toml::parse(platform.toml);
  const std::vector<std::string_view> lines = lines_of(platform.toml);
  std::vector<std::string> guessed;
  for (const PlatformKey& key : platform_keys()) {
    if (key.path.starts_with("runtime.")) continue;  // measured, if elsewhere
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node) continue;
    if (platform.estimated ? !is_known_here(key) : is_marked(node.node()->source(), lines))
      guessed.push_back(key.path);
  }
  return guessed;
}

}  // namespace foretile
