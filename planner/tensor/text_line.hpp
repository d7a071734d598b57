// SPDX-License-Identifier: BSD-3-Clause
// One line of a text with tensors, read from left to right.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace foretile {

/// Knows where it is, for messages. Blanks count for nothing between what is read.
class TextLine {
 public:
  /// `where` begins messages: "t.txt, line 3".
  TextLine(std::string_view text, std::string where, int number = 1);

  int number() const { return number_; }
  /// Of the next letter that is no blank, from 1.
  int column();
  bool at_end();
  bool next_is(std::string_view what);
  /// Whether it stands here; then the line is behind it.
  bool take(std::string_view what);
  /// Throws InputError where it does not stand here.
  void expect(std::string_view what);
  /// Letters, digits and _, from a letter on. Throws InputError, which expected `expected`.
  std::string name(const std::string& expected);
  /// A letter and the digits behind it.
  std::string index(const std::string& expected);
  bool next_is_number();
  /// With a blank behind it. Throws InputError.
  double real();
  /// What stands here is wrong.
  InputError wrong(const std::string& expected);
  InputError error(int column, const std::string& found, const std::string& expected,
                   const std::string& change = {}) const;

 private:
  void skip_blanks();

  std::string_view text_;
  std::string where_;
  int number_;
  std::size_t at_ = 0;
};

}  // namespace foretile
