// SPDX-License-Identifier: BSD-3-Clause
// Which figures of a platform were neither measured nor published.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// The keys, as files spell them, whose comment in the text has the word "guess", as platform files mark
/// them; of an estimated platform all but numbers, memory sizes and what --set gave.
std::vector<std::string> guessed_keys(const Platform& platform);

/// Whether a figure of [power] is one of them.
bool power_is_guessed(const Platform& platform);

/// A platform's text after --set, which has no comments, with marks of the guesses that `before` has. What
/// `settings` give is none.
std::string with_marked_guesses(const std::string& text, const std::string& before, bool estimated,
                                const std::vector<std::string>& settings);

}  // namespace foretile
