// SPDX-License-Identifier: BSD-3-Clause
// The names that a platform file gives its kinds of links.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace foretile {

/// Of the tables [link.NAME], in the order of the text.
inline std::vector<std::string> link_names(const toml::table& file) {
  std::vector<std::pair<std::size_t, std::string>> found;
  if (const toml::table* const links = file["link"].as_table()) {
    for (const auto& [name, node] : *links) found.emplace_back(name.source().begin.line, name.str());
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [line, name] : found) names.push_back(std::move(name));
  return names;
}

}  // namespace foretile
