// SPDX-License-Identifier: BSD-3-Clause
#include "base/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

void append_ascii(std::string& to, std::string_view text) {
  std::transform(text.begin(), text.end(), std::back_inserter(to),
                 [](char c) { return static_cast<unsigned char>(c) > 127 ? '?' : c; });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

/// The code point at the start of `text` and its bytes in UTF-8; no bytes where there is none (RFC 3629).
std::pair<std::uint32_t, std::size_t> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
  if (bytes == 0 || byte(0) > 0xF4 || text.size() < bytes) return {0, 0};
  std::uint32_t point = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0, 0};
    point = point << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return surrogate || point < least.at(bytes) || point > 0x10FFFF ? std::pair{0U, std::size_t{0}}
                                                                  : std::pair{point, bytes};
}

/// A string between double quotes, with TOML's escapes for letters beyond ASCII. After a backslash they are
/// an error, which they stay as '?'.
void append_escaped(std::string& to, std::string_view text) {
  bool escaping = false;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const auto [point, bytes] = first > 127 ? code_point(text) : std::pair{0U, std::size_t{0}};
    if (first > 127) {
      to += bytes > 0 && !escaping ? fmt::format("\\U{:08X}", point) : "?";
    } else {
      to += text.front();
    }
    escaping = first == '\\' && !escaping;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/// Bytes of the string at the start of `text`, quotes included. One that is not closed ends with its line.
std::size_t string_length(std::string_view text) {
  const char quote = text.front();
  const bool several_lines = text.starts_with(std::string(3, quote));
  const std::string_view fence = text.substr(0, several_lines ? 3 : 1);
  std::size_t end = fence.size();
  while (end < text.size() && !text.substr(end).starts_with(fence)) {
    if (!several_lines && text[end] == '\n') return end;
    end += quote == '"' && text[end] == '\\' ? 2 : 1;
  }
  end = std::min(end + fence.size(), text.size());
  // """text""""" : the string ends with two quotes of its own.
  const std::size_t most = several_lines ? std::min(end + 2, text.size()) : end;
  while (end < most && text[end] == quote) ++end;
  return end;
}

struct Part {
  enum Kind { plain, string, comment } kind;
  std::string_view text;
};

/// What `text` starts with. `before` is the character before it: a quote within a number or a word begins no
/// string.
Part next_part(std::string_view text, char before) {
  if (text.front() == '#') return {Part::comment, text.substr(0, text.find('\n'))};
  if (is_quote(text.front()) && std::string_view(" \t\r\n=,.[{").find(before) != std::string_view::npos)
    return {Part::string, text.substr(0, string_length(text))};
  return {Part::plain, text.substr(0, text.find_first_of("\"'#", 1))};
}

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  for (char before = '\n'; !text.empty(); before = parts.back().text.back()) {
    parts.push_back(next_part(text, before));
    text.remove_prefix(parts.back().text.size());
  }
  return parts;
}

void check_keys(const std::vector<Part>& parts, std::string_view source) {
  std::size_t line = 1;
  int dots = 0;
  for (const Part& part : parts) {
    for (const char c : part.text) {
      line += c == '\n';
      if (part.kind != Part::plain) continue;
      if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
      if (c == '.' && ++dots == kMostKeyParts)
        throw input_error(fmt::format("{}:{}", source, line), "a key of too many parts",
                          fmt::format("at most {} parts with dots between them", kMostKeyParts));
    }
  }
}

}  // namespace

std::string ascii_for_toml(std::string_view text, std::string_view source) {
  text = without_byte_order_mark(text);
  check_keys(parts_of(text), source);
  std::string ascii;
  append_ascii(ascii, text);
  return ascii;
}

std::string ascii_with_escapes(std::string_view text, std::string_view source) {
  const std::vector<Part> parts = parts_of(without_byte_order_mark(text));
  check_keys(parts, source);
  std::string ascii;
  std::size_t line = 1;
  for (const Part& part : parts) {
    if (part.kind == Part::string && part.text.front() == '"') {
      append_escaped(ascii, part.text);
    } else {
      if (part.kind == Part::string && !is_ascii(part.text))
        throw input_error(fmt::format("{}:{}", source, line), "letters beyond ASCII between single quotes",
                          "ASCII", "use double quotes");
      append_ascii(ascii, part.text);
    }
    line += static_cast<std::size_t>(std::count(part.text.begin(), part.text.end(), '\n'));
  }
  return ascii;
}

}  // namespace foretile
