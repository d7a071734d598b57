// SPDX-License-Identifier: BSD-3-Clause
// Lines, words and numbers of text files.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace foretile {

/// Lines without their ends; what follows the last line end is a line unless it is empty.
std::vector<std::string_view> lines_of(std::string_view text);

/// Words between blanks, tabs and carriage returns.
std::vector<std::string_view> words_of(std::string_view line);

/// The number that is the whole word, a plus sign allowed; nothing when it is none.
template <class Number>
std::optional<Number> number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace foretile
