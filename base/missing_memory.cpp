// SPDX-License-Identifier: BSD-3-Clause
#include "base/missing_memory.hpp"

#include <fmt/format.h>

#include "base/quantity.hpp"

namespace foretile {

MissingMemory missing_memory(std::string_view where, std::string_view found, std::string_view expected,
                             std::int64_t missing_bytes, std::string_view change, ShortOf short_of) {
  return MissingMemory(input_error(where, found, expected,
                                   fmt::format("{} are missing: {}", spelled_bytes(missing_bytes), change)),
                       short_of);
}

}  // namespace foretile
