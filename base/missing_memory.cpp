// SPDX-License-Identifier: BSD-3-Clause
#include "base/missing_memory.hpp"

#include <fmt/format.h>

namespace foretile {

MissingMemory missing_memory(std::string_view where, std::string_view found, std::string_view expected,
                             std::int64_t missing_bytes, std::string_view change, bool matrices_alone) {
  return MissingMemory(
      input_error(where, found, expected, fmt::format("{} bytes are missing: {}", missing_bytes, change)),
      matrices_alone);
}

}  // namespace foretile
