// SPDX-License-Identifier: BSD-3-Clause
// Quantities with units, as platform files and `--set` write them.
#pragma once

#include <string>
#include <string_view>

namespace foretile {

enum class Dimension { number, bytes, seconds, bytes_per_s, flops_per_s, watts };

/// A quantity such as "47.7 GB/s", "11.1 us", "16 GiB" or "7.2 Tflop/s" in SI units; a number alone is in SI
/// already. Prefixes: n u m (seconds), k M G T P, and Ki Mi Gi Ti Pi for bytes. Throws InputError, naming
/// `where`, for anything else, with a hint for bits. The value's range is not checked.
double parse_quantity(std::string_view text, Dimension dimension, std::string_view where);

/// A duration as options take it: hours, minutes and seconds in this order ("2h", "1h30m", "1 m 30 s",
/// "1.5h"), or what parse_quantity() takes for seconds ("90", "90s", "500 ms"). Throws InputError, naming
/// `where`.
double parse_duration(std::string_view text, std::string_view where);

/// Four significant digits with a fitting decimal prefix: "47.7 GB/s", "11.1 us".
std::string format_quantity(double value, Dimension dimension);

/// What a value of this dimension may look like, for messages.
std::string_view expected_form(Dimension dimension);

}  // namespace foretile
