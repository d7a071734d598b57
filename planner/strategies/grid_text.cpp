// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace foretile {

AlongAxes parse_grid(std::string_view where, const std::string& text) {
  AlongAxes numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (std::size_t axis = 0; axis < 3 && good; ++axis) {
    if (axis > 0) good = at != end && *at++ == 'x';
    const auto [rest, error] = std::from_chars(at, end, numbers.numbers[axis]);
    good = good && error == std::errc() && rest != at && *at != '-' && numbers.numbers[axis] >= 1;
    at = rest;
  }
  if (!good || at != end)
    throw input_error(where, text.empty() ? "nothing" : text,
                      "three whole numbers of at least 1 as 2x3x4, or auto");
  return numbers;
}

std::string to_text(const AlongAxes& numbers) {
  return fmt::format("{}x{}x{}", numbers[Axis::p], numbers[Axis::q], numbers[Axis::r]);
}

Spelling spelled_grid(std::vector<std::string> words) {
  return [words = std::move(words)](std::string_view where, const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return text;
    return to_text(parse_grid(where, text));
  };
}

}  // namespace foretile
