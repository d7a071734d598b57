// SPDX-License-Identifier: BSD-3-Clause
// What a parameter of a strategy is called, means and may be.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"

namespace foretile {

/// The one spelling of a value: of "16 MB" and "16000000" the second, of "0.50" "0.5". Throws InputError,
/// which begins with `where`, for a text that the parameter cannot have, whatever problem and machine are.
using Spelling = std::function<std::string(std::string_view where, const std::string& text)>;

Spelling whole_number(std::int64_t low, std::int64_t high);
Spelling auto_or_whole_number(std::int64_t low, std::int64_t high);
Spelling real_number(double low, double high);
/// Whole bytes, as "16 MB" or 16000000.
Spelling whole_bytes(std::int64_t low, std::int64_t high);
Spelling one_of(std::vector<std::string> words);

/// Of counts whose limit depends on problem or machine.
constexpr std::int64_t kMostCounted = std::numeric_limits<std::int32_t>::max();

struct ParameterInfo {
  std::string key;
  std::string default_value;
  std::string meaning;
  Spelling spelling;
  /// What the tuner tries when the user does not say what; none: it leaves the default.
  std::vector<std::string> tries = {};
  bool tries_divisors = false;  ///< of the number of ranks, too
  bool distributes_c = false;   ///< decides Strategy::distribution_of_c()
  bool for_batches = false;     ///< matters only where the platform knows launches of several products
  bool in_reports = false;      ///< reports print its value
};

/// The same, with the mark set.
ParameterInfo distributes_c(ParameterInfo info);
ParameterInfo with_divisors(ParameterInfo info);
ParameterInfo in_reports(ParameterInfo info);

/// The key of today for one of earlier versions: "deal.a" was the name of "distribution.a". Files and command
/// lines pass through here.
std::string present_key(std::string key);
/// Throws InputError where a key is given by both names.
Settings present_keys(const Settings& settings);

/// The parameter with this key, or null.
const ParameterInfo* find_parameter(const std::vector<ParameterInfo>& parameters, std::string_view key);

}  // namespace foretile
