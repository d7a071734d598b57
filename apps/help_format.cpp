// SPDX-License-Identifier: BSD-3-Clause
#include "apps/help_format.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

namespace foretile {

namespace {

constexpr std::size_t kMeaningColumn = 28;
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 100;

std::size_t help_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const long given = std::strtol(columns, nullptr, 10);
    if (given > 0) return std::max(static_cast<std::size_t>(given), kLeastWidth);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<std::size_t>(size.ws_col, kLeastWidth, kMostWidth);
}

/// Words, the first at `column`; further lines begin at `indent`. A line has at most `width` columns, or one
/// word.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent, std::size_t width) {
  std::string out;
  std::istringstream words(text);
  std::size_t begin = column;
  for (std::string word; words >> word; column += word.size()) {
    if (column == begin) {
      out += word;
      continue;
    }
    if (column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ') + word;
      column = begin = indent;
    } else {
      out += ' ' + word;
      ++column;
    }
  }
  return out;
}

/// Each line of `text` with the blanks at its begin.
std::string wrapped_lines(const std::string& text, std::size_t width) {
  std::string out, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out += line.size() <= width ? line : std::string(indent, ' ') + wrapped(line, indent, indent, width);
    out += '\n';
  }
  return out;
}

std::string entry(const std::string& name, const std::string& meaning, std::size_t width) {
  const std::string left = "  " + name;
  const bool apart = left.size() + 2 > kMeaningColumn;
  const std::string gap =
      apart ? '\n' + std::string(kMeaningColumn, ' ') : std::string(kMeaningColumn - left.size(), ' ');
  return left + (meaning.empty() ? "" : gap + wrapped(meaning, kMeaningColumn, kMeaningColumn, width)) + '\n';
}

/// Of CLI11's "TYPE:CHECK", where both may have colons.
struct ValueText {
  std::string name;   ///< "N", "{a,b}"
  std::string range;  ///< "1 to 8192"; empty: none
};

ValueText value_text(const CLI::Option& option) {
  static const std::regex kSet(R"(^(?:[^{]*:)?(\{.*\})$)");
  static const std::regex kRange(R"(^(.*?):(?:U?INT|FLOAT) in \[(\S+) - (\S+)\]$)");
  static const std::regex kSign(R"(^(.*?):(?:POSITIVE|NONNEGATIVE|NUMBER)$)");
  ValueText value{option.get_type_name(), {}};
  std::smatch found;
  if (std::regex_match(value.name, found, kSet)) {
    value.name = std::string(found[1]);
  } else if (std::regex_match(value.name, found, kRange)) {
    value = {found[1], fmt::format("{} to {}", found.str(2), found.str(3))};
  } else if (std::regex_match(value.name, found, kSign)) {
    value.name = std::string(found[1]);
  }
  if (value.name == "INT" || value.name == "UINT") value.name = "N";
  if (value.name == "FLOAT") value.name = "NUMBER";
  return value;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The description as sentences, with what CLI11 knows behind it.
std::string meaning_of(const CLI::Option& option, const ValueText& value) {
  std::string text = option.get_description();
  if (!value.range.empty()) text += fmt::format(". Range: {}", value.range);
  if (!option.get_default_str().empty()) text += fmt::format(". Default: {}", option.get_default_str());
  if (!option.get_needs().empty()) text += fmt::format(". Needs {}", names_of(option.get_needs()));
  if (!option.get_excludes().empty()) text += fmt::format(". Not with {}", names_of(option.get_excludes()));
  if (option.get_required() && !option.get_positional()) text += ". Required";
  return text;
}

}  // namespace

HelpFormat::HelpFormat() : width_(help_width()) {
  column_width(kMeaningColumn);
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
  return text;
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrapped_lines(Formatter::make_description(app), width_) + '\n';
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  return wrapped_lines(Formatter::make_footer(app), width_);
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
  return entry(sub->get_display_name(), sub->get_description(), width_);
}

std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_positional) const {
  std::string name = Formatter::make_option_name(option, is_positional);
  if (is_positional)
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  const ValueText value = value_text(*option);
  std::string name = make_option_name(option, is_positional);
  if (!is_positional && option->get_type_size() != 0) name += ' ' + value.name;
  return entry(name, meaning_of(*option, value), width_);
}

}  // namespace foretile
