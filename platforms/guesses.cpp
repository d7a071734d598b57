// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/guesses.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "platforms/keys.hpp"
#include "platforms/link_names.hpp"

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

constexpr std::string_view kGuess = "guess", kSet = "--set";

/// Whether the comment behind the value has the word.
bool is_marked(const toml::source_region& value, const std::vector<std::string_view>& lines,
               std::string_view word) {
  if (value.end.line == 0 || value.end.line > lines.size()) return false;
  const std::string_view line = lines[value.end.line - 1];
  const std::size_t end = std::min<std::size_t>(value.end.column - 1, line.size());
  return line.substr(end).find(word) != std::string_view::npos;
}

bool is_in(const std::vector<std::string>& settings, const std::string& key) {
  return std::ranges::any_of(
      settings, [&](const std::string& setting) { return setting.starts_with("platform." + key + "="); });
}

/// What an estimate knows: from the system, not from a guess.
bool is_known_here(const PlatformKey& key) {
  return key.dimension == Dimension::number || key.dimension == Dimension::bytes;
}

std::vector<std::string> guessed_in(const std::string& text, bool estimated) {
  const toml::table table = toml::parse(text);
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<std::string> guessed;
  for (const PlatformKey& key : keys_with(link_names(table))) {
    if (key.path.starts_with("runtime.")) continue;  // measured, if elsewhere
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node) continue;
    const toml::source_region& value = node.node()->source();
    if (estimated ? !is_known_here(key) && !is_marked(value, lines, kSet) : is_marked(value, lines, kGuess))
      guessed.push_back(key.path);
  }
  return guessed;
}

}  // namespace

std::vector<std::string> guessed_keys(const Platform& platform) {
  return guessed_in(platform.toml, platform.estimated);
}

bool power_is_guessed(const Platform& platform) {
  const std::vector<std::string> keys = guessed_keys(platform);
  return std::ranges::any_of(keys, [](const std::string& key) { return key.starts_with("power."); });
}

std::string with_marked_guesses(const std::string& text, const std::string& before, bool estimated,
                                const std::vector<std::string>& settings) {
  const toml::table table = toml::parse(text);
  const std::vector<std::string> guessed = guessed_in(before, estimated);
  std::map<std::size_t, std::string_view> comments;  // by line
  for (const PlatformKey& key : keys_with(link_names(table))) {
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node) continue;
    const bool is_guess = std::ranges::find(guessed, key.path) != guessed.end();
    const bool was_set = is_in(settings, key.path) || (estimated && !is_guess && !is_known_here(key));
    if (was_set || is_guess) comments[node.node()->source().end.line] = was_set ? kSet : kGuess;
  }
  std::string marked;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    marked += line;
    if (const auto comment = comments.find(++number); comment != comments.end())
      marked.append("  # ").append(comment->second);
    marked += '\n';
  }
  return marked;
}

}  // namespace foretile
