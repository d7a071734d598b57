// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Errors that a user can correct, each in one line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// Wrong usage or input. The programs print `what()` and exit with 2.
class InputError : public std::runtime_error {
 public:
  /// The message becomes one_line(text).
  explicit InputError(std::string_view text);
};

/// The input was sound but the work failed (a wrong product, a lost rank). The programs exit with 1.
class WorkError : public std::runtime_error {
 public:
  /// The message becomes one_line(text).
  explicit WorkError(std::string_view text);
};

/// Builds "WHERE: found FOUND, expected EXPECTED; CHANGE". `change` may be empty. `where` and `found` may
/// hold any text: each is shortened to kLongestQuote bytes.
InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change = {});

/// Builds `WHERE: unknown key "KEY"PLACE; did you mean "NEAR"? Known keys: A, B, ...`. `known` are the keys
/// that may stand there; `place` says where that is (" in [network]") and may be empty. When no known key
/// is near, one of `elsewhere` may be.
InputError unknown_key(std::string_view where, std::string_view key, const std::vector<std::string>& known,
                       std::string_view place = {}, const std::vector<std::string>& elsewhere = {});

}  // namespace foretile
