// SPDX-License-Identifier: BSD-3-Clause
#include "base/c_status.hpp"

#include <string>

namespace foretile {

namespace {

std::string& message() {
  static thread_local std::string text;
  return text;
}

}  // namespace

void set_c_message(std::string_view text) {
  message() = text;
}

}  // namespace foretile

const char* foretile_message(void) {
  return foretile::message().c_str();
}
