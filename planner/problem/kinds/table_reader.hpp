// SPDX-License-Identifier: BSD-3-Clause
// Reads the keys of a problem file; every error names file, line and key.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace foretile {

/// A view of one TOML table that remembers which keys were asked for, so that the rest can be refused.
class TableReader {
 public:
  /// `table` must outlive the reader; `source` is the file's name in messages, empty when the keys were given
  /// as command-line options.
  TableReader(const toml::table& table, std::string source) : table_(table), source_(std::move(source)) {}

  bool has(std::string_view key) const { return table_.contains(key); }
  bool is_list(std::string_view key) const { return table_.contains(key) && table_.get(key)->is_array(); }
  /// The value at `key`, which must be there, as a message shows it.
  std::string value_text(std::string_view key) const;

  /// The number at `key`, within [low, high]. Throws InputError when it is missing, no integer or outside.
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high);
  /// The same for real numbers; integers are accepted, infinity and "not a number" are not.
  double real(std::string_view key, double low, double high);
  double real_or(std::string_view key, double fallback, double low, double high);
  /// A list of two real numbers, each within [low, high].
  std::array<double, 2> pair(std::string_view key, double low, double high);
  bool boolean_or(std::string_view key, bool fallback);
  std::string text(std::string_view key);
  std::string text_or(std::string_view key, std::string_view fallback);
  /// A list of integers, each within [low, high].
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t low, std::int64_t high);
  /// A list of lists of numbers, each inner one of `low` to `high` numbers.
  std::vector<std::vector<double>> rows(std::string_view key, std::size_t low, std::size_t high);

  /// A list of texts.
  std::vector<std::string> texts(std::string_view key);
  /// Reads each table [[KEY]] with `read`, and refuses other keys in it; none where there is no such key.
  /// Throws InputError where the key is no list of tables.
  void tables(std::string_view key, const std::function<void(TableReader&)>& read);

  /// Another reader reads this key.
  void note(std::string_view key) { asked_.emplace(key); }

  /// Throws InputError for the first key that was not asked for. Call it when all keys were read.
  void refuse_other_keys() const;

  /// "FILE:LINE: key 'KEY'", or "--KEY" without a file.
  std::string where(std::string_view key) const;
  InputError error(std::string_view key, std::string_view found, std::string_view expected,
                   std::string_view change = {}) const;
  /// The line of the first character of the value at `key`; 1 when there is none.
  std::int64_t line(std::string_view key) const;
  /// The file's line on which the text at `key` starts: the next one where ''' or """ ends its line.
  std::int64_t first_text_line(std::string_view key) const;
  const std::string& source() const { return source_; }

 private:
  const toml::node& node(std::string_view key);

  const toml::table& table_;
  std::string source_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace foretile
