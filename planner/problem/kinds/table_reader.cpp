// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace foretile {

namespace {

/// toml++ writes a list on several lines.
std::string with_single_spaces(const std::string& text) {
  std::string single;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || !single.ends_with(' ')) single += space ? ' ' : c;
  }
  return single;
}

std::string shown(const toml::node& node) {
  if (const auto* real = node.as_floating_point()) return fmt::to_string(real->get());
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return with_single_spaces(std::move(text).str());
}

std::string range_text(std::string_view kind, const std::string& low, const std::string& high) {
  return fmt::format("{} from {} to {}", kind, low, high);
}

}  // namespace

const toml::node& TableReader::node(std::string_view key) {
  asked_.emplace(key);
  const toml::node* found = table_.get(key);
  if (!found) throw error(key, "no such key", "a value", "add it");
  return *found;
}

std::int64_t TableReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const toml::node& value = node(key);
  const auto number = value.is_integer() ? value.value<std::int64_t>() : std::nullopt;
  if (!number || *number < low || *number > high) {
    throw error(key, shown(value), range_text("an integer", fmt::to_string(low), fmt::to_string(high)));
  }
  return *number;
}

std::int64_t TableReader::integer_or(std::string_view key, std::int64_t fallback, std::int64_t low,
                                     std::int64_t high) {
  asked_.emplace(key);
  return has(key) ? integer(key, low, high) : fallback;
}

double TableReader::real(std::string_view key, double low, double high) {
  const toml::node& value = node(key);
  const auto number = value.is_number() ? value.value<double>() : std::nullopt;
  if (!number || !(*number >= low && *number <= high) || !std::isfinite(*number)) {
    throw error(key, shown(value), range_text("a number", fmt::to_string(low), fmt::to_string(high)));
  }
  return *number;
}

double TableReader::real_or(std::string_view key, double fallback, double low, double high) {
  asked_.emplace(key);
  return has(key) ? real(key, low, high) : fallback;
}

bool TableReader::boolean_or(std::string_view key, bool fallback) {
  asked_.emplace(key);
  if (!has(key)) return fallback;
  const toml::node& value = node(key);
  if (!value.is_boolean()) throw error(key, shown(value), "true or false");
  return *value.value<bool>();
}

std::string TableReader::text(std::string_view key) {
  const toml::node& value = node(key);
  if (!value.is_string()) throw error(key, shown(value), "a text in quotes");
  return *value.value<std::string>();
}

std::string TableReader::text_or(std::string_view key, std::string_view fallback) {
  asked_.emplace(key);
  return has(key) ? text(key) : std::string(fallback);
}

std::vector<std::int64_t> TableReader::integers(std::string_view key, std::int64_t low, std::int64_t high) {
  const toml::node& value = node(key);
  const std::string expected =
      range_text("a list of integers", fmt::to_string(low), fmt::to_string(high)) + ", at least one";
  const toml::array* list = value.as_array();
  if (!list || list->empty()) throw error(key, shown(value), expected);
  std::vector<std::int64_t> numbers;
  numbers.reserve(list->size());
  for (const toml::node& element : *list) {
    const auto number = element.is_integer() ? element.value<std::int64_t>() : std::nullopt;
    if (!number || *number < low || *number > high) throw error(key, shown(element) + " in it", expected);
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::vector<double>> TableReader::rows(std::string_view key, std::size_t low, std::size_t high) {
  const toml::node& value = node(key);
  const std::string expected = fmt::format("a list of lists of {} to {} numbers", low, high);
  const toml::array* list = value.as_array();
  if (!list) throw error(key, shown(value), expected);
  std::vector<std::vector<double>> all;
  all.reserve(list->size());
  for (const toml::node& element : *list) {
    const toml::array* row = element.as_array();
    if (!row || row->size() < low || row->size() > high) {
      throw error(key, shown(element) + " in it", expected);
    }
    std::vector<double>& numbers = all.emplace_back();
    for (const toml::node& number : *row) {
      if (!number.is_number()) throw error(key, shown(element) + " in it", expected);
      numbers.push_back(*number.value<double>());
    }
  }
  return all;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  const toml::node& value = node(key);
  const toml::array* list = value.as_array();
  if (!list) throw error(key, shown(value), "a list of texts in quotes");
  std::vector<std::string> all;
  for (const toml::node& element : *list) {
    if (!element.is_string()) throw error(key, shown(element) + " in it", "a list of texts in quotes");
    all.push_back(*element.value<std::string>());
  }
  return all;
}

void TableReader::tables(std::string_view key, const std::function<void(TableReader&)>& read) {
  asked_.emplace(key);
  if (!has(key)) return;
  const toml::array* list = table_.get(key)->as_array();
  if (!list || !std::ranges::all_of(*list, [](const toml::node& one) { return one.is_table(); }))
    throw error(key, "no list of tables", fmt::format("tables that begin with [[{}]]", key));
  for (const toml::node& one : *list) {
    TableReader reader(*one.as_table(), source_);
    read(reader);
    reader.refuse_other_keys();
  }
}

std::array<double, 2> TableReader::pair(std::string_view key, double low, double high) {
  const toml::node& value = node(key);
  const auto good = [&](const toml::node& part) {
    const auto number = part.is_number() ? part.value<double>() : std::nullopt;
    return number && *number >= low && *number <= high;
  };
  const toml::array* list = value.as_array();
  if (!list || list->size() != 2 || !good((*list)[0]) || !good((*list)[1]))
    throw error(key, shown(value), "a list of two finite numbers");
  return {*(*list)[0].value<double>(), *(*list)[1].value<double>()};
}

std::string TableReader::value_text(std::string_view key) const {
  return shown(*table_.get(key));
}

void TableReader::refuse_other_keys() const {
  for (const auto& [key, value] : table_) {
    if (asked_.contains(key.str())) continue;
    const std::string place =
        source_.empty() ? "command line" : fmt::format("{}:{}", source_, line(key.str()));
    throw unknown_key(place, key.str(), {asked_.begin(), asked_.end()});
  }
}

std::int64_t TableReader::line(std::string_view key) const {
  const toml::node* found = table_.get(key);
  return std::max<std::int64_t>(1, (found ? *found : table_).source().begin.line);
}

std::int64_t TableReader::first_text_line(std::string_view key) const {
  const toml::node* found = table_.get(key);
  if (!found || !found->is_string()) return line(key);
  const std::string text = *found->value<std::string>();
  const auto line_ends = std::count(text.begin(), text.end(), '\n');
  const bool starts_below = found->source().end.line - found->source().begin.line > line_ends;
  return line(key) + (starts_below ? 1 : 0);
}

std::string TableReader::where(std::string_view key) const {
  if (source_.empty()) {
    std::string option = fmt::format("--{}", key);
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
  }
  return fmt::format("{}:{}: key '{}'", source_, line(key), key);
}

InputError TableReader::error(std::string_view key, std::string_view found, std::string_view expected,
                              std::string_view change) const {
  return input_error(where(key), found, expected, change);
}

}  // namespace foretile
