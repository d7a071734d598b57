// SPDX-License-Identifier: BSD-3-Clause
// Which figures of a platform nobody measured or published.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// The keys, as files spell them, whose comment in the text has the word "guess", as platform files mark
/// them; of an estimated platform all but numbers and memory sizes. Call it on a platform as its file has it:
/// with
/// --set the text has no comments.
std::vector<std::string> guessed_keys(const Platform& platform);

}  // namespace foretile
