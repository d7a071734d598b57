// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean": names close to one that was not found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// Number of single-letter insertions, deletions, changes and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment distance).
int edit_distance(std::string_view a, std::string_view b);

/// At most `most` of `candidates`, best first: those within a third of `word`'s length in edits, those that
/// go on where `word` ends, and dotted names with the same last part.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& candidates,
                                      std::size_t most = 3);

/// `did you mean "a", "b" or "c"?`, or empty when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace foretile
