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

constexpr std::string_view kSet = "--set";

/// What stands behind the value in its last line.
std::string_view comment_of(const toml::source_region& value, const std::vector<std::string_view>& lines) {
  if (value.end.line == 0 || value.end.line > lines.size()) return {};
  const std::string_view line = lines[value.end.line - 1];
  return line.substr(std::min<std::size_t>(value.end.column - 1, line.size()));
}

bool has_word(std::string_view comment, std::string_view word) {
  return comment.find(word) != std::string_view::npos;
}

FigureKind kind_in(std::string_view comment) {
  if (has_word(comment, name_of(FigureKind::guess))) return FigureKind::guess;
  FigureKind first = FigureKind::unmarked;
  std::size_t begin = std::string_view::npos;
  for (const FigureKind kind : {FigureKind::measured, FigureKind::nominal, FigureKind::derived}) {
    const std::size_t at = comment.find(name_of(kind));
    if (at >= begin) continue;
    begin = at;
    first = kind;
  }
  return first;
}

bool is_in(const std::vector<std::string>& settings, const std::string& key) {
  return std::ranges::any_of(
      settings, [&](const std::string& setting) { return setting.starts_with("platform." + key + "="); });
}

/// What has a unit, and the numbers of a kernel's curve. Other numbers are counts.
bool is_figure(const PlatformKey& key) {
  return key.dimension != Dimension::number || key.path.find(".half_") != std::string::npos ||
         key.path.find("factor") != std::string::npos;
}

/// Costs of software were measured, if elsewhere; [runtime] names whose they are.
bool is_cost(const PlatformKey& key) {
  return key.path.starts_with("runtime.");
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
    if (is_cost(key)) continue;
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node) continue;
    const std::string_view comment = comment_of(node.node()->source(), lines);
    if (estimated ? !is_known_here(key) && !has_word(comment, kSet) : kind_in(comment) == FigureKind::guess)
      guessed.push_back(key.path);
  }
  return guessed;
}

std::vector<std::pair<std::string, FigureKind>> kinds_in(const std::string& text, bool estimated) {
  const toml::table table = toml::parse(text);
  const std::vector<std::string_view> lines = lines_of(text);
  const std::vector<std::string> guessed = guessed_in(text, estimated);
  std::vector<std::pair<std::string, FigureKind>> kinds;
  for (const PlatformKey& key : keys_with(link_names(table))) {
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node || is_cost(key)) continue;
    const bool is_guess = std::ranges::find(guessed, key.path) != guessed.end();
    const FigureKind kind = is_guess ? FigureKind::guess : kind_in(comment_of(node.node()->source(), lines));
    if (is_figure(key) || kind != FigureKind::unmarked) kinds.emplace_back(key.path, kind);
  }
  return kinds;
}

}  // namespace

std::string_view name_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::measured:
      return "measured";
    case FigureKind::nominal:
      return "nominal";
    case FigureKind::derived:
      return "derived";
    case FigureKind::guess:
      return "guess";
    case FigureKind::unmarked:
      break;
  }
  return "unmarked";
}

std::vector<std::pair<std::string, FigureKind>> figure_kinds(const Platform& platform) {
  return kinds_in(platform.toml, platform.estimated);
}

std::vector<std::string> guessed_keys(const Platform& platform) {
  return guessed_in(platform.toml, platform.estimated);
}

bool power_is_guessed(const Platform& platform) {
  const std::vector<std::string> keys = guessed_keys(platform);
  return std::ranges::any_of(keys, [](const std::string& key) { return key.starts_with("power."); });
}

std::string with_marked_kinds(const std::string& text, const std::string& before, bool estimated,
                              const std::vector<std::string>& settings) {
  const toml::table table = toml::parse(text);
  const std::vector<std::pair<std::string, FigureKind>> listed = kinds_in(before, estimated);
  const std::map<std::string, FigureKind> kinds(listed.begin(), listed.end());
  std::map<std::size_t, std::string_view> comments;  // by line
  for (const PlatformKey& key : keys_with(link_names(table))) {
    const toml::node_view<const toml::node> node = table.at_path(key.path);
    if (!node) continue;
    const auto found = kinds.find(key.path);
    const FigureKind kind = found == kinds.end() ? FigureKind::unmarked : found->second;
    const bool was_set =
        is_in(settings, key.path) || (estimated && kind != FigureKind::guess && !is_known_here(key));
    if (was_set || kind != FigureKind::unmarked)
      comments[node.node()->source().end.line] = was_set ? kSet : name_of(kind);
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
