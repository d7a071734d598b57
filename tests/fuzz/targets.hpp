// SPDX-License-Identifier: BSD-3-Clause
// The parsers that the fuzzer feeds. tests/fuzz/fuzz.cpp does so with Clang's libFuzzer, corpus_test.cpp with
// the files of tests/fuzz/corpus/NAME.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace foretile::fuzz {

/// Bytes of the longest message that a user has to read.
inline constexpr std::size_t max_message_bytes = 2000;

/// A parser did not keep its promise.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Target {
  std::string_view name;
  /// Parses the text; where that succeeds, writes the result, reads it again and compares. Throws Broken for
  /// a difference, and whatever the parser throws.
  void (*parse)(std::string_view text);
};

/// All of them.
std::span<const Target> targets();
/// Throws std::invalid_argument that lists the names.
const Target& find_target(std::string_view name);

/// Throws Broken unless `message` is one line of printable UTF-8 of at most max_message_bytes.
void expect_readable(std::string_view message);
/// Throws Broken, with both texts, unless they are equal.
void expect_same(std::string_view first, std::string_view second);

/// Runs the target. Only an InputError with a readable message may leave its parser; anything else does leave
/// this function.
void run(const Target& target, std::string_view text);

// The targets, one function each.
void parse_command_line(std::string_view text);
void parse_history(std::string_view text);
void parse_matrix_market_file(std::string_view text);
void parse_npy(std::string_view text);
void parse_plan(std::string_view text);
void parse_platform_file(std::string_view text);
void parse_problem(std::string_view text);
void parse_program_plan(std::string_view text);
void parse_program_text(std::string_view text);
void parse_quantities(std::string_view text);
void parse_settings(std::string_view text);
void parse_space_file(std::string_view text);
void parse_xyz_file(std::string_view text);

}  // namespace foretile::fuzz
