// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

struct Prefix {
  std::string_view sign;
  double factor;
};

constexpr std::array<Prefix, 15> prefixes = {{{"", 1},
                                              {"n", 1e-9},
                                              {"u", 1e-6},
                                              {"\u00b5", 1e-6},
                                              {"m", 1e-3},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"T", 1e12},
                                              {"P", 1e15},
                                              {"Ki", 0x1p10},
                                              {"Mi", 0x1p20},
                                              {"Gi", 0x1p30},
                                              {"Ti", 0x1p40},
                                              {"Pi", 0x1p50}}};

std::string_view base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "B";
    case Dimension::seconds:
      return "s";
    case Dimension::bytes_per_s:
      return "B/s";
    case Dimension::flops_per_s:
      return "flop/s";
    case Dimension::watts:
      return "W";
    case Dimension::number:
      break;
  }
  return "";
}

bool prefix_fits(const Prefix& prefix, Dimension dimension) {
  const bool binary = prefix.sign.size() == 2 && prefix.sign.back() == 'i';
  switch (dimension) {
    case Dimension::seconds:
      return prefix.factor <= 1;
    case Dimension::bytes:
    case Dimension::bytes_per_s:
      return prefix.factor >= 1;
    case Dimension::flops_per_s:
    case Dimension::watts:
      return prefix.factor >= 1 && !binary;
    case Dimension::number:
      break;
  }
  return prefix.sign.empty();
}

std::optional<double> factor_of(std::string_view unit, Dimension dimension) {
  const std::string_view base = base_unit(dimension);
  if (!unit.ends_with(base)) return std::nullopt;
  const std::string_view sign = unit.substr(0, unit.size() - base.size());
  for (const Prefix& prefix : prefixes) {
    if (prefix.sign == sign && prefix_fits(prefix, dimension)) return prefix.factor;
  }
  return std::nullopt;
}

bool is_bits(std::string_view unit) {
  for (const std::string_view end : {"b", "b/s", "bps", "bit", "bits", "bit/s", "bits/s"}) {
    if (unit.ends_with(end)) return true;
  }
  return false;
}

/// "MB" for "Mb", "mb" and "Mbit"; nothing when something else than a prefix stands before the b.
std::string unit_of_bytes(std::string_view bits, Dimension dimension) {
  const std::string_view sign = bits.substr(0, bits.find('b'));
  for (const Prefix& prefix : prefixes) {
    const auto same = [](unsigned char l, unsigned char r) { return std::tolower(l) == std::tolower(r); };
    if (prefix_fits(prefix, dimension) &&
        std::equal(sign.begin(), sign.end(), prefix.sign.begin(), prefix.sign.end(), same))
      return std::string(prefix.sign) + std::string(base_unit(dimension));
  }
  return {};
}

std::string hint(std::string_view unit, double value, Dimension dimension) {
  const bool of_bytes = dimension == Dimension::bytes || dimension == Dimension::bytes_per_s;
  const std::string bytes = of_bytes && is_bits(unit) ? unit_of_bytes(unit, dimension) : std::string();
  if (!bytes.empty()) {
    return fmt::format("8 bits make a byte: write {:.6g} {} if bits are meant, else {:.6g} {}", value / 8,
                       bytes, value, bytes);
  }
  if (dimension == Dimension::bytes_per_s && unit.ends_with("Bps")) return "write /s instead of ps";
  return {};
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "1h30m", "2 h", "1.5m 30s"; nothing for an empty text or when they do not come in this order.
std::optional<double> hours_minutes_seconds(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> units = {{{"h", 3600}, {"m", 60}, {"s", 1}}};
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  for (std::size_t next = 0; !text.empty();) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text = trim(text.substr(static_cast<std::size_t>(end - text.data())));
    const std::string_view unit = text.substr(0, std::min(text.find_first_of("0123456789. "), text.size()));
    while (next < units.size() && units[next].first != unit) ++next;
    if (next == units.size()) return std::nullopt;
    seconds += value * units[next++].second;
    text = trim(text.substr(unit.size()));
  }
  return seconds;
}

}  // namespace

std::string_view expected_form(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "bytes, as 16e9 or \"16 GB\" or \"16 GiB\"";
    case Dimension::seconds:
      return "seconds, as 11.1e-6 or \"11.1 us\"";
    case Dimension::bytes_per_s:
      return "bytes per second, as 47.7e9 or \"47.7 GB/s\"";
    case Dimension::flops_per_s:
      return "flop/s, as 7.2e12 or \"7.2 Tflop/s\"";
    case Dimension::watts:
      return "watts, as 700 or \"700 W\"";
    case Dimension::number:
      break;
  }
  return "a plain number";
}

double parse_quantity(std::string_view text, Dimension dimension, std::string_view where) {
  const std::string_view all = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  const std::string found = fmt::format("\"{}\"", text);
  if (error != std::errc{}) throw input_error(where, found, expected_form(dimension));
  const std::string_view unit = trim(all.substr(static_cast<std::size_t>(end - all.data())));
  if (unit.empty()) return value;
  const std::optional<double> factor = factor_of(unit, dimension);
  if (!factor) throw input_error(where, found, expected_form(dimension), hint(unit, value, dimension));
  // Dividing by a power of ten rounds once: 11.1 us is then exactly what 11.1e-6 is.
  return *factor < 1 ? value / std::round(1 / *factor) : value * *factor;
}

double parse_duration(std::string_view text, std::string_view where) {
  if (const auto seconds = hours_minutes_seconds(trim(text))) return *seconds;
  try {
    return parse_quantity(text, Dimension::seconds, where);
  } catch (const InputError&) {
    throw input_error(where, fmt::format("\"{}\"", text), "a duration, as \"90s\", \"10m\" or \"1h30m\"");
  }
}

std::string format_quantity(double value, Dimension dimension) {
  if (dimension == Dimension::number) return fmt::format("{:.4g}", value);
  const Prefix* best = &prefixes[0];
  for (const Prefix& prefix : prefixes) {
    const bool plain = prefix.sign.size() <= 1 && prefix_fits(prefix, dimension);
    const bool reaches = value >= prefix.factor * (1 - 1e-9);
    const bool closer = value >= best->factor ? prefix.factor > best->factor : true;
    if (plain && reaches && closer) best = &prefix;
  }
  return fmt::format("{:.4g} {}{}", value / best->factor, best->sign, base_unit(dimension));
}

}  // namespace foretile
