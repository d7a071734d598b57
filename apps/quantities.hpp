// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretile {

/// 1899971 -> "1,899,971".
std::string grouped(std::int64_t count);

/// Three significant digits and an SI prefix: (8.77e14, "flop") -> "877 Tflop", (0.0021, "s") -> "2.10 ms".
std::string quantity(double value, std::string_view unit);

/// Three significant digits: 0.0213 -> "2.13%".
std::string percent(double fraction);

}  // namespace foretile
