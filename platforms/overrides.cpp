// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/overrides.hpp"

#include <charconv>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "platforms/keys.hpp"

namespace foretile {

namespace {

constexpr std::string_view prefix = "platform.";

struct Override {
  const PlatformKey* key;
  std::string value;
};

/// All that may stand in the innermost table of the platform that `name` names.
std::vector<std::string> names_beside(const std::string& name) {
  std::string table = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  if (!names_in_table(table + ".").empty()) table += '.';  // a table itself is no key
  std::vector<std::string> names;
  do {
    table = table.substr(0, table.rfind('.') + 1);
    names = names_in_table(table);
    if (!table.empty()) table.pop_back();
  } while (names.empty());
  if (!table.empty()) table += '.';
  table.insert(0, prefix);
  for (std::string& found : names) found.insert(0, table);
  return names;
}

Override parse_override(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos) {
    throw input_error("parameters", "\"" + setting + "\"", "platform.KEY=VALUE");
  }
  const std::string name = setting.substr(0, equals);
  const PlatformKey* key = name.starts_with(prefix) ? find_platform_key(name.substr(prefix.size())) : nullptr;
  if (!key) {
    throw unknown_key("parameters", name, names_beside(name), "", override_names());
  }
  return {key, setting.substr(equals + 1)};
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc{} && end == last;
}

bool is_text(const PlatformKey& key) {
  Platform unused;
  const Slot slot = key.slots(unused).front();
  return std::holds_alternative<std::string*>(slot) || std::holds_alternative<DeviceKind*>(slot);
}

bool is_list(const PlatformKey& key) {
  Platform unused;
  const Slot slot = key.slots(unused).front();
  return std::holds_alternative<std::vector<KernelPoint>*>(slot) ||
         std::holds_alternative<std::vector<double>*>(slot);
}

/// [1, 0.9] or [[512, 512, 512, "1 Tflop/s"]]; what is no list stays text, which is refused as such.
void insert_list(toml::table& table, std::string_view leaf, const std::string& text) {
  try {
    toml::table parsed = toml::parse("list = " + text);
    table.insert_or_assign(leaf, *parsed.get("list"));
  } catch (const toml::parse_error&) {
    table.insert_or_assign(leaf, text);
  }
}

}  // namespace

void insert_value(toml::table& table, std::string_view leaf, const PlatformKey& key,
                  const std::string& text) {
  std::int64_t integer = 0;
  double real = 0;
  if (is_list(key)) {
    insert_list(table, leaf, text);
  } else if (is_text(key)) {
    table.insert_or_assign(leaf, text);
  } else if (text == "true" || text == "false") {
    table.insert_or_assign(leaf, text == "true");
  } else if (parse_whole(text, integer)) {
    table.insert_or_assign(leaf, integer);
  } else if (parse_whole(text, real)) {
    table.insert_or_assign(leaf, real);
  } else {
    table.insert_or_assign(leaf, text);
  }
}

namespace {

void copy_value(toml::table& table, std::string_view from, std::string_view to) {
  table.get(from)->visit([&](const auto& value) { table.insert_or_assign(to, value); });
}

/// `bandwidth` stands for both directions, so it and the two directed keys replace each other.
void make_room_on_link(toml::table& table, std::string_view leaf) {
  if (leaf == "bandwidth") {
    table.erase("h2d_bandwidth");
    table.erase("d2h_bandwidth");
  } else if ((leaf == "h2d_bandwidth" || leaf == "d2h_bandwidth") && table.contains("bandwidth")) {
    copy_value(table, "bandwidth", "h2d_bandwidth");
    copy_value(table, "bandwidth", "d2h_bandwidth");
    table.erase("bandwidth");
  }
}

/// `runtime.source=none` turns the costs off that stand beside it.
void make_room_for_source(toml::table& table, const std::string& source) {
  if (source == "none") table.clear();
}

/// One node of cores takes all ranks: who says how many it has means nodes that are pretended.
void pretend_nodes(toml::table& table) {
  const auto kind = table["device"]["kind"].value<std::string>();
  if (table["nodes"].value_or(1) == 1 && kind == "core") table.insert_or_assign("pretend_nodes", true);
}

toml::table& table_of(toml::table& root, std::string_view path) {
  toml::table* table = &root;
  for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    const std::string_view name = path.substr(0, dot);
    if (!table->contains(name)) table->insert(name, toml::table{});
    table = table->get_as<toml::table>(name);
    path.remove_prefix(dot + 1);
  }
  return *table;
}

}  // namespace

std::vector<std::string> override_names() {
  std::vector<std::string> names;
  for (const PlatformKey& key : platform_keys()) names.push_back(std::string(prefix) + key.path);
  return names;
}

void apply_overrides(toml::table& table, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const Override change = parse_override(setting);
    const std::string& path = change.key->path;
    const std::string_view leaf = std::string_view(path).substr(path.rfind('.') + 1);
    toml::table& inner = table_of(table, path);
    if (is_device_link(path)) make_room_on_link(inner, leaf);
    if (path == "ranks_per_node") pretend_nodes(table);
    if (path == "runtime.source") make_room_for_source(inner, change.value);
    insert_value(inner, leaf, *change.key, change.value);
  }
}

}  // namespace foretile
