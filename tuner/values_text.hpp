// SPDX-License-Identifier: BSD-3-Clause
// Values of a parameter in few words.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace foretile {

/// The value as a finite number, if the text is one to its end.
std::optional<double> number_in(const std::string& value);

/// "0.3 to 0.6, 0.9": three and more neighbours in `all` become a range, if all are numbers, which then go by
/// size; other values are listed in the order of `all`. Values that `all` lacks come last, in theirs.
std::string values_text(const std::vector<std::string>& values, const std::vector<std::string>& all);

}  // namespace foretile
