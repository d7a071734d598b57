// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/near.hpp"
#include "base/one_line.hpp"

namespace foretile {

InputError::InputError(std::string_view text) : std::runtime_error(one_line(text)) {}

WorkError::WorkError(std::string_view text) : std::runtime_error(one_line(text)) {}

InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change) {
  std::string text = fmt::format("{}: found {}, expected {}", quote(where), quote(found), expected);
  if (!change.empty()) text += fmt::format("; {}", change);
  return InputError(text);
}

InputError unknown_key(std::string_view where, std::string_view key, const std::vector<std::string>& known,
                       std::string_view place, const std::vector<std::string>& elsewhere) {
  std::string near = did_you_mean(key, known);
  if (near.empty()) near = did_you_mean(key, elsewhere);
  return InputError(fmt::format("{}: unknown key \"{}\"{}{} Known keys: {}", quote(where), quote(key), place,
                                near.empty() ? "." : "; " + near, fmt::join(known, ", ")));
}

}  // namespace foretile
