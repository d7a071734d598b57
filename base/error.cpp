// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/near.hpp"
#include "base/one_line.hpp"

namespace foretile {

std::string_view file_of(HelpPage page) {
  switch (page) {
    case HelpPage::none:
      return "";
    case HelpPage::memory:
      return "docs/how-to/memory-does-not-fit.md";
    case HelpPage::unknown_key:
      return "docs/how-to/unknown-key.md";
    case HelpPage::wrong_file:
      return "docs/how-to/wrong-file.md";
    case HelpPage::ranks:
      return "docs/how-to/ranks-differ.md";
    case HelpPage::budget:
      return "docs/how-to/search-found-nothing.md";
  }
  return "";
}

ExplainedError::ExplainedError(std::string_view text, HelpPage page)
    : std::runtime_error(one_line(text)), page_(page) {}

std::string explained(const std::exception& error) {
  const auto* const known = dynamic_cast<const ExplainedError*>(&error);
  if (!known || known->page() == HelpPage::none) return error.what();
  const std::string page = fmt::format("; see {}", file_of(known->page()));
  return one_line(error.what(), kLongestMessage - page.size()) + page;
}

InputError within(std::string_view where, const InputError& error) {
  return InputError(fmt::format("{}: {}", where, error.what()), error.page());
}

InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change, HelpPage page) {
  std::string text = fmt::format("{}: found {}, expected {}", quote(where), quote(found), expected);
  if (!change.empty()) text += fmt::format("; {}", change);
  return InputError(text, page);
}

InputError unknown_key(std::string_view where, std::string_view key, const std::vector<std::string>& known,
                       std::string_view place, const std::vector<std::string>& elsewhere) {
  std::string near = did_you_mean(key, known);
  if (near.empty()) near = did_you_mean(key, elsewhere);
  return InputError(fmt::format("{}: unknown key \"{}\"{}{} Known keys: {}", quote(where), quote(key), place,
                                near.empty() ? "." : "; " + near, fmt::join(known, ", ")),
                    HelpPage::unknown_key);
}

}  // namespace foretile
