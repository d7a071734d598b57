// SPDX-License-Identifier: BSD-3-Clause
// Other tilings of the same problem.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile {

/// The table of a problem file that says which tilings a tuner may choose.
inline constexpr std::string_view kTuneTable = "tune";

/// The keys of the problem's kind that cut the same matrices into other tiles. Throws InputError for a text
/// that is no problem.
std::vector<std::string> tiling_keys(const Problem& problem);

/// What the problem says at a tiling key; nothing where it leaves it out.
std::optional<std::string> tiling_value(const Problem& problem, const std::string& key);

/// The one spelling of a value of a tiling key: a whole number. Throws InputError, which begins with `where`,
/// for other texts.
std::string spell_tiling_value(std::string_view where, const std::string& text);

/// The problem with these values at some of its tiling keys; the rest of its text stays what it is. Throws
/// InputError for other keys and for values that are no whole numbers; what they mean for the problem is
/// found out by build_contraction().
Problem retile(const Problem& problem, const Settings& tiling);

}  // namespace foretile
