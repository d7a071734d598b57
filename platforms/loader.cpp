// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/loader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/near.hpp"
#include "base/one_line.hpp"
#include "base/toml_text.hpp"
#include "platforms/checks.hpp"
#include "platforms/guesses.hpp"
#include "platforms/here.hpp"
#include "platforms/keys.hpp"
#include "platforms/link_names.hpp"
#include "platforms/list.hpp"
#include "platforms/node_graph.hpp"
#include "platforms/overrides.hpp"
#include "platforms/runtime_source.hpp"

namespace foretile {

namespace {

namespace fs = std::filesystem;

std::string at(const std::string& source, std::size_t line) {
  return fmt::format("{}:{}", source, line);
}

/// The file as a table, with where each key came from.
class PlatformFile {
 public:
  PlatformFile(const std::string& text, std::string source) : source_(std::move(source)) {
    try {
      table_ = toml::parse(text);
    } catch (const toml::parse_error& error) {
      throw InputError(
          fmt::format("{}: no valid TOML: {}", at(source_, error.source().begin.line), error.description()),
          HelpPage::wrong_file);
    }
    check_names(table_, "");
  }

  void apply(const std::vector<std::string>& settings) { apply_overrides(table_, settings); }

  const toml::node* find(std::string_view path) const { return table_.at_path(path).node(); }

  /// "file:line: key"; overridden keys have no line, and a missing one gets that of its table.
  std::string where(std::string_view path) const {
    for (std::string_view part = path;; part = part.substr(0, part.rfind('.'))) {
      if (const toml::node* node = find(part)) {
        const auto line = node->source().begin.line;
        return line ? fmt::format("{}: {}", at(source_, line), path)
                    : fmt::format("parameter platform.{}", path);
      }
      if (part.find('.') == std::string_view::npos) return fmt::format("{}:1: {}", source_, path);
    }
  }

  std::vector<std::string> links() const { return link_names(table_); }

  bool has_cores() const { return table_.at_path("device.kind").value_or(std::string_view()) == "core"; }

  std::string text() const {
    std::ostringstream out;
    out << toml::toml_formatter(table_) << "\n";
    return std::move(out).str();
  }

 private:
  void check_names(const toml::table& table, const std::string& above) const {
    for (const auto& [name, node] : table) {
      const std::string path = above + std::string(name.str());
      const bool dotted = name.str().find('.') != std::string_view::npos;
      if (const toml::table* inner = node.as_table(); inner && !dotted && is_table(path)) {
        if (has_free_names(above)) check_name(std::string(name.str()), name.source().begin.line);
        check_names(*inner, path + ".");
      } else if (dotted || !find_platform_key(path)) {
        unknown(above, std::string(name.str()), name.source().begin.line);
      }
    }
  }

  static bool is_table(const std::string& path) {
    return has_free_names(path + ".") || !names_in_table(path + ".").empty();
  }

  void check_name(const std::string& name, std::size_t line) const {
    const auto fits = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '-';
    };
    if (std::ranges::all_of(name, fits)) return;
    throw input_error(at(source_, line), "the name \"" + name + "\"", "letters, digits, _ and -");
  }

  [[noreturn]] void unknown(const std::string& table, const std::string& name, std::size_t line) const {
    std::vector<std::string> all;
    for (const PlatformKey& key : platform_keys()) all.push_back(key.path);
    const std::string place = table.empty() ? "" : fmt::format(" in [{}]", table.substr(0, table.size() - 1));
    throw unknown_key(at(source_, line), name, names_in_table(table), place, all);
  }

  std::string source_;
  toml::table table_;
};

std::string shown(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) {
      out << toml::toml_formatter(value);
    } else {
      out << (node.is_table() ? "a table" : "an array");
    }
  });
  return std::move(out).str();
}

double number_in(const toml::node& node, const PlatformKey& key, const std::string& where) {
  if (const auto* text = node.as_string()) return parse_quantity(text->get(), key.dimension, where);
  if (const auto number = node.value<double>()) return *number;
  throw input_error(where, shown(node), expected_form(key.dimension));
}

constexpr double kLeastPlainRate = 1e4;

/// `bandwidth = 25` is meant as 25 GB/s, not as 25 B/s.
void check_unit(const toml::node& node, const PlatformKey& key, const std::string& where) {
  const bool rate = key.dimension == Dimension::bytes_per_s || key.dimension == Dimension::flops_per_s;
  if (!rate || !node.is_number() || *node.value<double>() >= kLeastPlainRate) return;
  const std::string_view unit = key.dimension == Dimension::bytes_per_s ? "GB/s" : "Gflop/s";
  throw input_error(where, shown(node) + " without a unit", "a rate with its unit",
                    fmt::format("write \"{} {}\"", shown(node), unit));
}

std::string range_of(const PlatformKey& key) {
  if (key.dimension == Dimension::number) return fmt::format("{:.10g} to {:.10g}", key.low, key.high);
  return fmt::format("{} to {}", format_quantity(key.low, key.dimension),
                     format_quantity(key.high, key.dimension));
}

double number_in_range(const toml::node& node, const PlatformKey& key, const std::string& where) {
  const double value = number_in(node, key, where);
  const bool inside = value >= key.low && value <= key.high;  // false for NaN
  if (!inside) throw input_error(where, shown(node), range_of(key));
  check_unit(node, key, where);
  return value;
}

double whole_in_range(const toml::node& node, const PlatformKey& key, const std::string& where) {
  const double value = number_in_range(node, key, where);
  if (key.dimension == Dimension::bytes) return std::round(value);
  if (value != std::floor(value)) throw input_error(where, shown(node), "a whole number");
  return value;
}

std::string text_in(const toml::node& node, const std::string& where) {
  const auto* text = node.as_string();
  if (!text || text->get().empty()) throw input_error(where, shown(node), "some text in quotes");
  if (one_line(text->get()) != text->get())
    throw input_error(where, shown(node), "letters that can be printed");
  return text->get();
}

DeviceKind kind_in(const toml::node& node, const std::string& where) {
  const std::string text = text_in(node, where);
  if (text == "gpu") return DeviceKind::gpu;
  if (text == "core") return DeviceKind::core;
  throw input_error(where, shown(node), "\"gpu\" or \"core\"");
}

constexpr std::size_t kMostPoints = 10'000;

/// [[m, n, k, "rate"], ...]
std::vector<KernelPoint> points_in(const toml::node& node, const PlatformKey& key, const std::string& where) {
  const toml::array* const rows = node.as_array();
  const auto refuse = [&](const std::string& found) {
    throw input_error(where, found, "rows of m, n, k and a rate",
                      "such as [[512, 512, 512, \"9.1 Tflop/s\"]]");
  };
  if (!rows || rows->empty()) refuse(rows ? "no row" : shown(node));
  if (rows->size() > kMostPoints)
    throw input_error(where, fmt::format("{} rows", rows->size()), fmt::format("at most {}", kMostPoints));
  const PlatformKey extent{"", Dimension::number, 1, 1e6, Presence::always, {}};
  std::vector<KernelPoint> points;
  for (const toml::node& row : *rows) {
    const toml::array* const one = row.as_array();
    const std::string place = fmt::format("{}[{}]", where, points.size());
    if (!one || one->size() != 4)
      refuse(fmt::format("row {} with {} values", points.size(), one ? one->size() : 1));
    points.push_back({.m = whole_in_range((*one)[0], extent, place),
                      .n = whole_in_range((*one)[1], extent, place),
                      .k = whole_in_range((*one)[2], extent, place),
                      .flops_per_s = number_in_range((*one)[3], key, place)});
  }
  return points;
}

/// [0.9, 1, ...], a number for each device of a node.
std::vector<double> numbers_in(const toml::node& node, const PlatformKey& key, const std::string& where) {
  const toml::array* const row = node.as_array();
  if (!row || row->empty())
    throw input_error(where, row ? "no number" : shown(node), "a number for each device of a node",
                      "such as [1, 0.9] for two");
  std::vector<double> numbers;
  for (const toml::node& one : *row)
    numbers.push_back(number_in_range(one, key, fmt::format("{}[{}]", where, numbers.size())));
  return numbers;
}

/// Puts the key's value into one of its slots.
struct Fill {
  const toml::node& node;
  const PlatformKey& key;
  const std::string& where;

  void operator()(double* to) const { *to = number_in_range(node, key, where); }
  void operator()(int* to) const { *to = static_cast<int>(whole_in_range(node, key, where)); }
  void operator()(std::int64_t* to) const {
    *to = static_cast<std::int64_t>(whole_in_range(node, key, where));
  }
  void operator()(std::string* to) const { *to = text_in(node, where); }
  void operator()(DeviceKind* to) const { *to = kind_in(node, where); }
  void operator()(std::vector<KernelPoint>* to) const { *to = points_in(node, key, where); }
  void operator()(std::vector<double>* to) const { *to = numbers_in(node, key, where); }
  void operator()(bool* to) const {
    if (!node.is_boolean()) throw input_error(where, shown(node), "true or false");
    *to = node.as_boolean()->get();
  }
};

void fill_values(Platform& platform, const PlatformFile& file) {
  for (const std::string& name : file.links()) platform.links.tables.push_back({.name = name});
  for (const PlatformKey& key : keys_of(platform)) {
    const toml::node* node = file.find(key.path);
    if (!node) continue;
    const std::string where = file.where(key.path);
    for (const Slot& slot : key.slots(platform)) std::visit(Fill{*node, key, where}, slot);
  }
}

void fill_cards(Platform& p) {
  const Cards& cards = p.network.cards;
  if (cards.count == 0) return;
  const double of_rank = std::min(cards.of_rank, cards.count) * cards.bytes_per_s;
  if (p.network.message.bandwidth_bytes_per_s == 0) p.network.message.bandwidth_bytes_per_s = of_rank;
  if (p.network.node_injection_bytes_per_s == 0)
    p.network.node_injection_bytes_per_s = cards.count * cards.bytes_per_s;
}

/// All tables of factors that a file may have.
std::vector<SizeFactors*> factors_of(Platform& p) {
  std::vector<SizeFactors*> all;
  for (DeviceModel* const d : {&p.device, &p.core}) {
    for (KernelModel* const curve : d->curves()) all.push_back(&curve->factors);
    all.push_back(&d->cache.factors);
  }
  return all;
}

/// Links that a platform need not describe get the figures of the next best one, so that none is left without
/// a bandwidth: cores reach each other through the host's memory.
void fill_gaps(Platform& p) {
  for (SizeFactors* factors : factors_of(p)) complete(*factors);
  for (DeviceModel* const d : {&p.device, &p.core}) {
    for (KernelModel* const curve : d->curves()) curve->use_points();
  }
  NodeLinks& links = p.links;
  if (p.device.kind == DeviceKind::core) {
    const LinkModel memory{0, p.memory_bandwidth_bytes_per_s};
    links.host_to_device = links.device_to_host = links.peer = links.cross_socket = memory;
    links.socket_host_to_device_bytes_per_s = p.memory_bandwidth_bytes_per_s;
  }
  summarize_links(p);
  fill_cards(p);
  if (links.peer.bandwidth_bytes_per_s == 0) links.peer = links.host_to_device;
  if (links.cross_socket.bandwidth_bytes_per_s == 0) links.cross_socket = links.peer;
  if (p.network.message.bandwidth_bytes_per_s == 0) p.network.message = links.message;
  LinkModel& device = p.network.device_message;
  if (device.bandwidth_bytes_per_s == 0)
    device.bandwidth_bytes_per_s = p.network.message.bandwidth_bytes_per_s;
  if (device.latency_s == 0) device.latency_s = p.network.message.latency_s;
  if (p.network.node_injection_bytes_per_s == 0) {
    p.network.node_injection_bytes_per_s = p.network.message.bandwidth_bytes_per_s * p.ranks_per_node;
  }
}

}  // namespace

Platform parse_platform(const std::string& toml, const std::string& source,
                        const std::vector<std::string>& settings) {
  std::string text = ascii_with_escapes(toml, source);
  PlatformFile file(text, source);
  if (!file.find("runtime")) {
    text += typical_runtime_toml(file.has_cores() ? DeviceKind::core : DeviceKind::gpu);
    file = PlatformFile(text, source);
  }
  file.apply(settings);
  const FileView view{[&](std::string_view path) { return file.find(path) != nullptr; },
                      [&](std::string_view path) { return file.where(path); }};
  Platform platform;
  for (SizeFactors* factors : factors_of(platform)) factors->fill(0);
  fill_values(platform, file);
  check_presence(platform, view);
  check_values(platform, view);
  check_links(platform, view.where);
  fill_gaps(platform);
  platform.source = source;
  platform.toml =
      settings.empty() ? text : with_marked_kinds(file.text(), text, platform.estimated, settings);
  return platform;
}

std::string spell_platform_value(const PlatformKey& key, const std::string& text, const std::string& where) {
  toml::table table;
  insert_value(table, "value", key, text);
  const toml::node& node = *table.get("value");
  Platform platform;
  for (const Slot& slot : key.slots(platform)) std::visit(Fill{node, key, where}, slot);
  const Slot first = key.slots(platform).front();
  if (const auto* const real = std::get_if<double*>(&first)) return fmt::to_string(**real + 0.0);  // 0 for -0
  if (const auto* const whole = std::get_if<std::int64_t*>(&first)) return fmt::to_string(**whole);
  if (const auto* const count = std::get_if<int*>(&first)) return fmt::to_string(**count);
  return text;
}

Platform load_platform(const std::string& name_or_path, const std::vector<std::string>& settings,
                       std::optional<int> cores) {
  if (name_or_path == "here") return here_platform(settings, cores);
  const fs::path named = find_platform_file(name_or_path);
  if (!named.empty()) return parse_platform(read_text(named), named.string(), settings);
  std::error_code error;
  if (!fs::exists(name_or_path, error) && !error) {
    std::vector<std::string> names;
    for (const NamedPlatform& platform : named_platforms()) names.push_back(platform.name);
    throw input_error("platform", "\"" + name_or_path + "\"",
                      fmt::format("a file or one of {}", fmt::join(names, ", ")),
                      did_you_mean(name_or_path, names), HelpPage::wrong_file);
  }
  return parse_platform(read_text(name_or_path), name_or_path, settings);
}

}  // namespace foretile
