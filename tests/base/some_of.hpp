// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace foretile {

/// How many of a test's random cases run, from the first on, and of what they count: all of them, or a
/// quarter where FORETILE_TEST_SHARE is 4.
inline std::int64_t some_of(std::int64_t all) {
  const char* const share = std::getenv("FORETILE_TEST_SHARE");
  return share ? all / std::stoll(share) : all;
}

}  // namespace foretile
