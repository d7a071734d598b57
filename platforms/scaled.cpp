// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/scaled.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>
#include <variant>

#include "platforms/keys.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

/// Changing these makes another machine.
constexpr std::array<std::string_view, 6> kNodeForm = {"nodes",          "sockets_per_node",
                                                       "ranks_per_node", "socket.devices",
                                                       "network.cards",  "network.cards_per_rank"};

double number_in(const toml::node& node, const PlatformKey& key) {
  if (const auto* const text = node.as_string()) return parse_quantity(text->get(), key.dimension, key.path);
  return node.value_or(0.0);
}

bool is_whole(const PlatformKey& key) {
  Platform unused;
  return std::holds_alternative<int*>(key.slots(unused).front());
}

double times(const toml::node& node, const PlatformKey& key, double factor) {
  const double value = std::clamp(factor * number_in(node, key), key.low, key.high);
  return is_whole(key) ? std::round(value) : value;
}

toml::array scaled_points(const toml::array& rows, const PlatformKey& key, double factor) {
  constexpr std::size_t kRate = 3;
  toml::array found;
  for (const toml::node& row : rows) {
    toml::array point = *row.as_array();
    const double rate = times(point[kRate], key, factor);
    point.replace(point.begin() + kRate, rate);
    found.push_back(std::move(point));
  }
  return found;
}

void scale(toml::table& file, const std::string& path, double factor) {
  const PlatformKey& key = *find_platform_key(path);
  const std::size_t dot = path.rfind('.');
  const bool at_top = dot == std::string::npos;
  toml::table& table = at_top ? file : *file.at_path(path.substr(0, dot)).as_table();
  const std::string leaf = at_top ? path : path.substr(dot + 1);
  const toml::node& node = *table.get(leaf);
  if (const toml::array* const rows = node.as_array()) {
    toml::array points = scaled_points(*rows, key, factor);
    table.insert_or_assign(leaf, std::move(points));
  } else if (const double value = times(node, key, factor); is_whole(key)) {
    table.insert_or_assign(leaf, std::llround(value));
  } else {
    table.insert_or_assign(leaf, value);
  }
}

}  // namespace

bool can_scale(const Platform& platform, const std::string& path) {
  const PlatformKey* const key = find_platform_key(path);
  if (!key || std::ranges::find(kNodeForm, path) != kNodeForm.end()) return false;
  Platform unused;
  const Slot slot = key->slots(unused).front();
  const bool changes = std::holds_alternative<double*>(slot) || std::holds_alternative<int*>(slot) ||
                       std::holds_alternative<std::int64_t*>(slot) ||
                       std::holds_alternative<std::vector<KernelPoint>*>(slot);
  return changes && toml::parse(platform.toml).at_path(path);
}

Platform scaled(const Platform& platform, const std::vector<std::string>& keys, double factor) {
  toml::table file = toml::parse(platform.toml);
  for (const std::string& key : keys) scale(file, key, factor);
  std::ostringstream text;
  text << toml::toml_formatter(file) << "\n";
  return parse_platform(std::move(text).str(), platform.source);
}

std::string figure_in_file(const Platform& platform, const std::string& path) {
  const toml::table file = toml::parse(platform.toml);
  const auto node = file.at_path(path);
  if (!node) return {};
  if (const toml::array* const rows = node.as_array()) return fmt::format("{} points", rows->size());
  if (const auto* const flag = node.as_boolean()) return flag->get() ? "true" : "false";
  const PlatformKey& key = *find_platform_key(path);
  Platform unused;
  if (std::holds_alternative<std::string*>(key.slots(unused).front()))
    return std::string(node.value_or(std::string_view()));
  return format_quantity(number_in(*node.node(), key), key.dimension);
}

}  // namespace foretile
