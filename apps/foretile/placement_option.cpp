// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/placement_option.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {

namespace {

/// Numbers of names in the order in which they appear.
class Numbers {
 public:
  int of(const std::string& name) { return numbers_.try_emplace(name, std::ssize(numbers_)).first->second; }

 private:
  std::map<std::string, int> numbers_;
};

std::vector<std::string> words_in_line(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string placement_in(const std::string& path) {
  std::istringstream lines(read_text(path));
  Numbers groups;
  std::map<std::string, Numbers> leaves;  // by group
  std::map<std::string, int> hosts;       // their lines
  std::string found;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<std::string> words = words_in_line(line);
    if (words.empty()) continue;
    if (words.size() < 2 || words.size() > 3)
      throw input_error(fmt::format("{}:{}", path, number), fmt::format("{} words", words.size()),
                        "a host, its group and, if known, its leaf switch",
                        "such as \"node017 group3 leaf5\"");
    if (const auto [first, fresh] = hosts.try_emplace(words[0], number); !fresh)
      throw input_error(fmt::format("{}:{}", path, number), quote(words[0]) + " again",
                        fmt::format("each host once; line {} has it", first->second));
    found += fmt::format("{}{}", found.empty() ? "" : " ", groups.of(words[1]));
    if (words.size() == 3) found += fmt::format("/{}", leaves[words[1]].of(words[2]));
  }
  if (found.empty()) throw input_error(path, "no host", "a line for each node of the job");
  return found;
}

}  // namespace

std::string placement_setting(const std::string& text) {
  return text == "packed" || text == "scattered" ? text : placement_in(text);
}

void add_placement_option(CLI::App& command, Options& options) {
  command
      .add_option_function<std::string>(
          "--placement", [&options](const std::string& text) { options.placement = placement_setting(text); },
          "Where the job's nodes are in the fabric: packed, scattered over its groups, or a file with a line "
          "HOST GROUP [LEAF] for each node. Default: as the platform says, else packed")
      ->type_name("FILE");
}

}  // namespace foretile
