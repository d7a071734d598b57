// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/retile.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/problem/kinds/problem_table.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

const std::string kPrefix = "problem.";  // of these keys where keys of other things stand beside them

/// Where the line of this number, from 1, begins.
std::size_t begin_of_line(const std::string& text, std::size_t line) {
  std::size_t begin = 0;
  for (; line > 1; --line) begin = text.find('\n', begin) + 1;
  return begin;
}

/// Numbers stand on one line, and no letter beyond ASCII can come before them, so columns are bytes.
void replace_number(std::string& text, const toml::source_region& place, const std::string& value) {
  const std::size_t line = begin_of_line(text, place.begin.line);
  text.replace(line + place.begin.column - 1, place.end.column - place.begin.column, value);
}

/// Behind the line of the kind, which every problem has.
void add_number(std::string& text, const toml::source_region& kind, const std::string& key,
                const std::string& value) {
  const std::size_t end = text.find('\n', begin_of_line(text, kind.end.line));
  const std::string line = fmt::format("\n{} = {}", key, value);
  text.insert(end == std::string::npos ? text.size() : end, line);
}

std::vector<std::string> with_prefix(std::vector<std::string> keys) {
  for (std::string& key : keys) key.insert(0, kPrefix);
  return keys;
}

void set_number(Problem& problem, const std::string& key, const std::string& value) {
  const toml::table table = parse_problem_table(problem);
  if (const toml::node* const node = table.get(key)) {
    if (!node->is_integer()) TableReader(table, problem.source).integer(key, 1, max_extent);  // says why not
    replace_number(problem.toml, node->source(), value);
  } else {
    add_number(problem.toml, table.get("kind")->source(), key, value);
  }
}

}  // namespace

std::vector<std::string> tiling_keys(const Problem& problem) {
  const toml::table table = parse_problem_table(problem);
  return tiling_keys_of_kind(TableReader(table, problem.source).text("kind"));
}

std::optional<std::string> tiling_value(const Problem& problem, const std::string& key) {
  const toml::table table = parse_problem_table(problem);
  const toml::node* const node = table.get(key);
  if (!node || !node->is_integer()) return std::nullopt;
  return fmt::to_string(node->as_integer()->get());
}

std::string spell_tiling_value(std::string_view where, const std::string& text) {
  return fmt::to_string(parse_integer(text, where, 1, max_extent));
}

Problem retile(const Problem& problem, const Settings& tiling) {
  Problem other = problem;
  if (tiling.empty()) return other;
  const std::vector<std::string> known = tiling_keys(problem);
  for (const auto& [key, value] : tiling) {
    const std::string name = kPrefix + key;
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      if (known.empty())
        throw input_error(name, "a problem whose tiles are listed", "one with a rule for its tiles");
      throw unknown_key("parameters", name, with_prefix(known), " of the problem's tiling");
    }
    set_number(other, key, spell_tiling_value(name, value));
  }
  return other;
}

}  // namespace foretile
