// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "base/quantity.hpp"

namespace foretile {

/// 1899971 -> "1,899,971".
std::string grouped(std::int64_t count);

/// Three significant digits: 0.0213 -> "2.13%".
std::string percent(double fraction);

}  // namespace foretile
