// SPDX-License-Identifier: BSD-3-Clause
#include "base/descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace foretile {

bool Descriptor::close() {
  return number_ < 0 || ::close(release()) == 0;
}

std::string system_message() {
  return std::generic_category().message(errno);
}

}  // namespace foretile
