// SPDX-License-Identifier: BSD-3-Clause
#include "base/one_line.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace foretile {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no valid UTF-8
};

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// The bytes that the first byte of a character announces (RFC 3629), or 0.
std::size_t announced(unsigned char first) {
  if (first < 0x80U) return 1;
  if (first >= 0xc2U && first < 0xe0U) return 2;
  if (first >= 0xe0U && first < 0xf0U) return 3;
  return first >= 0xf0U && first < 0xf5U ? 4 : 0;
}

/// The first character of a text that is not empty.
Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = announced(first);
  if (bytes == 1) return {first, 1};
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (const char byte : text.substr(1, bytes - 1)) {
    if (!continues(byte)) return {};
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800U) || (bytes == 4 && code < 0x10000U);
  const bool surrogate = code >= 0xd800U && code < 0xe000U;
  return overlong || surrogate || code > 0x10ffffU ? Character{} : Character{code, bytes};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  if (bytes == "\r") return "\\r";
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) {
  constexpr std::string_view dots = "...";
  std::string line;
  std::size_t cut = 0;  // where the line ends should it become too long
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes == 0 ? 1 : next.bytes);
    const bool plain = next.bytes > 0 && !is_control(next.code);
    const std::string shown = plain ? std::string(bytes) : escaped(bytes);
    if (line.size() + shown.size() > longest) return line.substr(0, cut).append(dots);
    line += shown;
    if (line.size() + dots.size() <= longest) cut = line.size();
    text.remove_prefix(bytes.size());
  }
  return line;
}

std::string quote(std::string_view text) {
  return one_line(text, kLongestQuote);
}

}  // namespace foretile
