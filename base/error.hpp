// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Errors that a user can correct, each in one line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// The page of docs/how-to/ that explains a kind of error; `file_of(page)` names it.
enum class HelpPage : std::uint8_t {
  none,
  memory,       ///< a plan or matrices do not fit a memory
  unknown_key,  ///< a key of a file or of --set that does not exist
  wrong_file,   ///< a file that cannot be read, or has another content
  ranks,        ///< ranks that differ, or a job of another size than its plan
  budget        ///< a search that ended before it found a plan
};

/// "docs/how-to/wrong-file.md"; of HelpPage::none an empty text.
std::string_view file_of(HelpPage page);

/// An error with the page that explains it.
class ExplainedError : public std::runtime_error {
 public:
  /// HelpPage::none where no page explains it.
  HelpPage page() const { return page_; }
  /// Keeps a page that is there already: it is closer to the cause.
  void add_page(HelpPage page) {
    if (page_ == HelpPage::none) page_ = page;
  }

 protected:
  /// The message becomes one_line(text).
  ExplainedError(std::string_view text, HelpPage page);

 private:
  HelpPage page_;
};

/// Wrong usage or input. The programs print explained(error) and exit with 2.
class InputError : public ExplainedError {
 public:
  /// The message becomes one_line(text).
  explicit InputError(std::string_view text, HelpPage page = HelpPage::none) : ExplainedError(text, page) {}
};

/// The input was sound but the work failed (a wrong product, a lost rank). The programs exit with 1.
class WorkError : public ExplainedError {
 public:
  /// The message becomes one_line(text).
  explicit WorkError(std::string_view text, HelpPage page = HelpPage::none) : ExplainedError(text, page) {}
};

/// The text of an error as the programs print it. Where it has a page, the last words are "; see PAGE".
std::string explained(const std::exception& error);

/// "WHERE: TEXT OF ERROR", with the page of `error`.
InputError within(std::string_view where, const InputError& error);

/// Runs `read`, and adds `page` to an InputError that it throws.
template <class Read>
auto with_page(HelpPage page, const Read& read) {
  try {
    return read();
  } catch (InputError& error) {
    error.add_page(page);
    throw;
  }
}

/// Builds "WHERE: found FOUND, expected EXPECTED; CHANGE". `change` may be empty. `where` and `found` may
/// hold any text: each is shortened to kLongestQuote bytes.
InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change = {}, HelpPage page = HelpPage::none);

/// Builds `WHERE: unknown key "KEY"PLACE; did you mean "NEAR"? Known keys: A, B, ...`. `known` are the keys
/// that may stand there; `place` says where that is (" in [network]") and may be empty. When no known key
/// is near, one of `elsewhere` may be.
InputError unknown_key(std::string_view where, std::string_view key, const std::vector<std::string>& known,
                       std::string_view place = {}, const std::vector<std::string>& elsewhere = {});

}  // namespace foretile
