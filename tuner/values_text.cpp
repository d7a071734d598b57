// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/values_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace foretile {

namespace {

constexpr std::size_t shortest_range = 3;

std::string run_text(const std::vector<std::string>& run) {
  if (run.size() < shortest_range) return fmt::format("{}", fmt::join(run, ", "));
  return fmt::format("{} to {}", run.front(), run.back());
}

}  // namespace

std::optional<double> number_in(const std::string& value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return {};
  return number;
}

std::string values_text(const std::vector<std::string>& values, const std::vector<std::string>& all) {
  const std::set<std::string> wanted(values.begin(), values.end());
  std::vector<std::string> order = all;
  std::set<std::string> known(all.begin(), all.end());
  for (const std::string& value : values) {
    if (known.insert(value).second) order.push_back(value);
  }
  const bool numbers =
      std::all_of(order.begin(), order.end(), [](const std::string& text) { return number_in(text); });
  if (numbers) {
    std::stable_sort(order.begin(), order.end(), [](const std::string& l, const std::string& r) {
      return *number_in(l) < *number_in(r);
    });
  }
  std::vector<std::string> parts, run;
  const auto end_run = [&] {
    if (!run.empty()) parts.push_back(run_text(run));
    run.clear();
  };
  for (const std::string& value : order) {
    const bool shown = wanted.contains(value);
    if (!shown || !numbers) end_run();
    if (shown) run.push_back(value);
  }
  end_run();
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace foretile
