#include "base/error.hpp"

#include <fmt/format.h>

namespace foretile {

InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change) {
  std::string text = fmt::format("{}: found {}, expected {}", where, found, expected);
  if (!change.empty()) text += fmt::format("; {}", change);
  return InputError(text);
}

}  // namespace foretile
