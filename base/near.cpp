// SPDX-License-Identifier: BSD-3-Clause
#include "base/near.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: swaps of neighbours look two rows back.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& candidates,
                                      std::size_t most) {
  constexpr std::size_t longest = 200;  // longer words are no typing mistakes
  if (word.empty() || word.size() > longest) return {};
  std::vector<std::pair<int, std::string>> found;
  for (const std::string& candidate : candidates) {
    const int edits = edit_distance(word, candidate);
    const bool same_end = last_part(word) == last_part(candidate);
    const bool longer = candidate.starts_with(word);
    if (same_end || longer || 3 * edits <= static_cast<int>(word.size()))
      found.emplace_back(edits, candidate);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > most) found.resize(most);
  std::vector<std::string> names;
  for (auto& [edits, name] : found) names.push_back(std::move(name));
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string> names = near_matches(word, candidates);
  if (names.empty()) return {};
  for (std::string& name : names) name = fmt::format("\"{}\"", name);
  const std::string last = names.back();
  names.pop_back();
  if (names.empty()) return fmt::format("did you mean {}?", last);
  return fmt::format("did you mean {} or {}?", fmt::join(names, ", "), last);
}

}  // namespace foretile
