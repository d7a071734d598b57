// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The search space: which parameters may take which values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/outcome.hpp"

namespace foretile {

/// A key of `--set` and the texts it may take, in the order they are tried; no value twice.
struct Parameter {
  std::string name;                 ///< as in `--set`
  std::vector<std::string> values;  ///< to try, in this order
  std::string where = {};           ///< "FILE:LINE" where a file gives it; does not count in comparisons

  /// Same name and same values.
  friend bool operator==(const Parameter& a, const Parameter& b) {
    return a.name == b.name && a.values == b.values;
  }
};

/// All combinations of the parameters' values, numbered from 0. The last parameter varies fastest, so the
/// numbers are mixed-radix digits and no list of candidates is ever stored.
class Space {
 public:
  Space() = default;

  /// Throws InputError for a parameter without values, a name or a value given twice, or more than 2^62
  /// combinations. No parameters at all make a space of size 0.
  explicit Space(std::vector<Parameter> parameters);

  /// In the order of the digits, the last varies fastest.
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// Number of combinations.
  std::uint64_t size() const { return size_; }

  /// Requires index < size(); throws std::out_of_range otherwise.
  Candidate at(std::uint64_t index) const;

  /// The number of a candidate; empty when a value or a parameter is not the space's.
  std::optional<std::uint64_t> index_of(const Candidate& candidate) const;

  /// The same text for equal spaces; its digest belongs into a history's header.
  std::string text() const;

  /// Same parameters and values.
  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Parameter> parameters_;
  std::uint64_t size_ = 0;
};

/// Reads the TOML described in docs/tuning.md. `name` is the file in messages. Throws InputError with file
/// and line for unknown keys, kinds of values that are neither numbers, texts nor booleans, and empty lists.
Space parse_space(std::string_view toml, const std::string& name);

/// parse_space of a file.
Space load_space(const std::filesystem::path& path);

/// The parameters "problem.KEY" of the [tune] table of a problem's text (docs/problems.md); none without one.
/// Values and errors as in parse_space. The text must be that of a problem.
std::vector<Parameter> parse_tilings(std::string_view toml, const std::string& name);

/// The divisors of the number of ranks up to 12, as values. Throws InputError for ranks < 1.
std::vector<std::string> tried_divisors(int ranks);

/// The space searched when none is given: the parameters that the strategy wants tried, and
/// platform.ranks_per_node with the given values, left out when there are none.
Space default_space(std::vector<Parameter> of_strategy, const std::vector<int>& ranks_per_node = {});

}  // namespace foretile
