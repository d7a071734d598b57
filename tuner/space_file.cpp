// SPDX-License-Identifier: BSD-3-Clause
// The search space as a TOML file: parse_space and load_space.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/toml_text.hpp"
#include "tuner/space.hpp"

namespace foretile {

namespace {

constexpr std::int64_t most_steps = 10'000;

/// Where an error is: the file, and below it keys and lines.
struct Place {
  std::string file;

  std::string at(std::string_view key, const toml::node& node) const {
    return fmt::format("{}:{}: {}", file, node.source().begin.line, key);
  }
};

std::string kind_of(const toml::node& node) {
  std::ostringstream kind;
  kind << node.type();
  return fmt::format("a value of kind {}", kind.str());
}

std::string number_text(const Place& place, const std::string& name, const toml::node& node, double value) {
  if (!std::isfinite(value))
    throw input_error(place.at(name, node), fmt::to_string(value), "a finite number");
  return fmt::to_string(value);
}

/// Numbers in their shortest form, so that 0.50 and 0.5 are the same candidate.
std::string value_text(const Place& place, const std::string& name, const toml::node& node) {
  if (const auto* integer = node.as_integer()) return fmt::to_string(integer->get());
  if (const auto* real = node.as_floating_point()) return number_text(place, name, node, real->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* text = node.as_string(); text && !text->get().empty()) return text->get();
  if (node.is_string()) throw input_error(place.at(name, node), "an empty text", "a value");
  throw input_error(place.at(name, node), kind_of(node), "a number, a text or a boolean");
}

bool same_kind(const toml::node& a, const toml::node& b) {
  return a.type() == b.type() || (a.is_number() && b.is_number());
}

std::vector<std::string> list_values(const Place& place, const std::string& name, const toml::array& list) {
  std::vector<std::string> values;
  for (const toml::node& node : list) {
    values.push_back(value_text(place, name, node));
    if (!same_kind(list.front(), node))
      throw input_error(place.at(name, node), "values of different kinds", "numbers only or texts only");
  }
  return values;
}

double range_number(const Place& place, const std::string& name, const toml::table& range, const char* key) {
  const toml::node* node = range.get(key);
  if (!node) throw input_error(place.at(name, range), fmt::format("no `{}`", key), "{from, to, steps}");
  const auto value = node->value<double>();
  if (!node->is_number() || !std::isfinite(*value))
    throw input_error(place.at(name + "." + key, *node), kind_of(*node), "a finite number");
  return *value;
}

std::int64_t range_steps(const Place& place, const std::string& name, const toml::table& range) {
  const toml::node* node = range.get("steps");
  if (!node) throw input_error(place.at(name, range), "no `steps`", "{from, to, steps}");
  const auto* steps = node->as_integer();
  if (!steps) throw input_error(place.at(name + ".steps", *node), kind_of(*node), "a whole number");
  if (steps->get() < 2 || steps->get() > most_steps) {
    throw input_error(place.at(name + ".steps", *node), fmt::to_string(steps->get()),
                      fmt::format("2 to {} values", most_steps), "write a list for a single value");
  }
  return steps->get();
}

/// Evenly spaced, both ends included. Twelve digits hide the rounding of 0.3 + 3 * 0.1.
std::vector<std::string> range_values(const Place& place, const std::string& name, const toml::table& range) {
  for (const auto& [key, node] : range) {
    if (key != "from" && key != "to" && key != "steps")
      throw unknown_key(place.at(name, node), key.str(), {"from", "to", "steps"});
  }
  const double from = range_number(place, name, range, "from");
  const double to = range_number(place, name, range, "to");
  const std::int64_t steps = range_steps(place, name, range);
  if (!(from < to) || !std::isfinite(to - from))
    throw input_error(place.at(name, range), fmt::format("from {} to {}", from, to), "from < to");
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps - 1);
    values.push_back(fmt::format("{:.12g}", from + part * (to - from)));
  }
  return values;
}

bool is_range(const toml::table& table) {
  return table.contains("from") || table.contains("to") || table.contains("steps");
}

void add_parameters(const Place& place, const std::string& prefix, const toml::table& table,
                    std::vector<Parameter>& parameters);

std::vector<std::string> values_of(const Place& place, const std::string& name, const toml::node& node) {
  if (const auto* list = node.as_array()) return list_values(place, name, *list);
  if (const auto* range = node.as_table()) return range_values(place, name, *range);
  throw input_error(place.at(name, node), kind_of(node), "a list or {from, to, steps}",
                    "write a single value as a list of one");
}

void add_parameter(const Place& place, const std::string& name, const toml::node& node,
                   std::vector<Parameter>& parameters) {
  // Without quotes, TOML makes a table of grid.p = [1, 2]; it means the same here.
  if (const auto* table = node.as_table(); table && !is_range(*table)) {
    if (table->empty()) throw input_error(place.at(name, node), "an empty table", "values");
    return add_parameters(place, name + ".", *table, parameters);
  }
  parameters.push_back(
      {name, values_of(place, name, node), fmt::format("{}:{}", place.file, node.source().begin.line)});
  try {
    Space checked(parameters);
  } catch (const InputError& error) {
    throw within(fmt::format("{}:{}", place.file, node.source().begin.line), error);
  }
}

void add_parameters(const Place& place, const std::string& prefix, const toml::table& table,
                    std::vector<Parameter>& parameters) {
  for (const auto& [key, node] : table) {
    if (key.str().empty()) throw input_error(place.at("parameters", node), "an empty key", "a name");
    add_parameter(place, prefix + std::string(key.str()), node, parameters);
  }
}

toml::table parse_toml(const std::string& ascii, const std::string& name) {
  try {
    return toml::parse(ascii, name);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()),
                     HelpPage::wrong_file);
  }
}

}  // namespace

Space parse_space(std::string_view text, const std::string& name) {
  const Place place{name};
  const toml::table file = parse_toml(ascii_with_escapes(text, name), name);
  for (const auto& [key, node] : file) {
    if (key != "parameters")
      throw unknown_key(fmt::format("{}:{}", name, node.source().begin.line), key.str(), {"parameters"},
                        " beside [parameters]");
  }
  const toml::node* node = file.get("parameters");
  if (!node) throw input_error(name, "no [parameters]", "a table of that name", "see docs/tuning.md");
  const toml::table* table = node->as_table();
  if (!table) throw input_error(place.at("parameters", *node), kind_of(*node), "a table");
  if (table->empty()) throw input_error(place.at("parameters", *node), "no parameter", "at least one");
  std::vector<Parameter> parameters;
  add_parameters(place, "", *table, parameters);
  return Space(std::move(parameters));
}

Space load_space(const std::filesystem::path& path) {
  return parse_space(read_text(path), path.string());
}

std::vector<Parameter> parse_tilings(std::string_view text, const std::string& name) {
  const toml::table file = parse_toml(ascii_for_toml(text, name), name);
  std::vector<Parameter> parameters;
  if (const toml::table* const table = file["tune"].as_table())
    add_parameters({name}, "problem.", *table, parameters);
  return parameters;
}

}  // namespace foretile
