// SPDX-License-Identifier: BSD-3-Clause
// Text from anywhere as one line that is safe to print on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace foretile {

/// Longest quoted value in a message, in bytes.
constexpr std::size_t kLongestQuote = 200;
/// Longest message, in bytes.
constexpr std::size_t kLongestMessage = 2000;

/// `text` with control characters and invalid UTF-8 escaped: "\n", "\t", "\r", else "\xNN" for each byte. A
/// result of more than `longest` bytes is cut between characters and ends in "...". Control characters are
/// those of ISO 6429 (U+0000 to U+001F, U+007F to U+009F), and the line separators and changes of the writing
/// direction of Unicode (U+2028 to U+202E, U+2066 to U+2069).
std::string one_line(std::string_view text, std::size_t longest = kLongestMessage);

/// The same, at most kLongestQuote bytes.
std::string quote(std::string_view text);

}  // namespace foretile
