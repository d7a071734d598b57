// SPDX-License-Identifier: BSD-3-Clause
#include "base/c_status.hpp"

#include <algorithm>
#include <array>

namespace foretile {

namespace {

/// An array: where memory is used up, there is still room to say so.
using Message = std::array<char, kLongestCMessage + 1>;

Message& message() noexcept {
  static constinit thread_local Message text{};
  return text;
}

/// At most `most` bytes that end with a whole character of UTF-8.
std::string_view beginning(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (most > 0 && is_inside(most)) --most;
  return {text.data(), most};
}

}  // namespace

void set_c_message(std::string_view text) noexcept {
  const std::string_view kept = beginning(text, kLongestCMessage);
  *std::copy(kept.begin(), kept.end(), message().begin()) = '\0';
}

}  // namespace foretile

const char* foretile_message(void) {
  return foretile::message().data();
}
