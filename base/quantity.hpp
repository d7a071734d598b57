// SPDX-License-Identifier: BSD-3-Clause
// Quantities as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretile {

/// Three significant digits and an SI prefix: (8.77e14, "flop") -> "877 Tflop", (0.0021, "s") -> "2.10 ms".
std::string quantity(double value, std::string_view unit);

/// Exact, and from a million with a prefix: "512 bytes", "1237940039285 bytes (1.24 TB)".
std::string spelled_bytes(std::int64_t bytes);

}  // namespace foretile
