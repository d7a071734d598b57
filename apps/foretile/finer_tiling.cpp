// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/finer_tiling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/missing_memory.hpp"
#include "base/parse.hpp"
#include "planner/problem/kinds/limits.hpp"
#include "planner/problem/retile.hpp"

namespace foretile {

namespace {

constexpr std::array kTimesFiner = {1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0};

/// More clusters make smaller tiles. Those of the occupied orbitals cut T and R alone.
constexpr std::string_view kClusters = "ao_clusters";

struct Key {
  std::string name;
  std::int64_t value;
};

std::vector<Key> keys_to_change(const Problem& problem) {
  std::vector<Key> keys;
  for (const std::string& key : tiling_keys(problem)) {
    const auto value = tiling_value(problem, key);
    if (!value) continue;
    const std::int64_t number = parse_integer(*value, key, 0, max_extent);
    if (key == kClusters) return {{key, number}};
    if (number > 1 && key.find("clusters") == std::string::npos) keys.push_back({key, number});
  }
  return keys;
}

std::int64_t finer(const Key& key, double times) {
  const double value = static_cast<double>(key.value);
  return key.name == kClusters ? std::llround(std::ceil(value * times))
                               : std::max<std::int64_t>(1, std::llround(std::floor(value / times)));
}

/// Whether it was planned and proven to fit. Nothing where that would take longer than `seconds`.
std::optional<bool> fits(const Case& the_case, const Problem& problem, double seconds) {
  try {
    Contraction contraction = build_contraction(problem);
    if (estimate_planning(contraction).seconds > seconds) return std::nullopt;
    plan_work(std::move(contraction), make_machine(the_case.platform, the_case.size), the_case.settings);
    return true;
  } catch (const InputError& error) {
    if (asks_for_finer_tiles(error)) return false;
    return std::nullopt;
  }
}

}  // namespace

bool asks_for_finer_tiles(const InputError& error) {
  const auto* const memory = dynamic_cast<const MissingMemory*>(&error);
  return memory && !memory->matrices_alone();
}

std::vector<Settings> finer_tilings(const Problem& problem) {
  const std::vector<Key> keys = keys_to_change(problem);
  std::vector<Settings> tilings;
  for (const double times : kTimesFiner) {
    Settings tiling;
    for (const Key& key : keys) tiling[key.name] = fmt::to_string(finer(key, times));
    if (!tiling.empty() && (tilings.empty() || tilings.back() != tiling))
      tilings.push_back(std::move(tiling));
  }
  return tilings;
}

std::optional<Settings> finer_tiling_that_fits(const Case& the_case, const TimeBudget& budget) {
  for (const Settings& tiling : finer_tilings(the_case.problem)) {
    if (budget.over()) return std::nullopt;
    const auto found = fits(the_case, retile(the_case.problem, tiling), budget.left());
    if (!found) return std::nullopt;
    if (*found) return tiling;
  }
  return std::nullopt;
}

std::string advice(const Settings& tiling) {
  std::string set, options;
  for (const auto& [key, value] : tiling) {
    set += fmt::format(" --set problem.{}={}", key, value);
    std::string option = key;
    std::ranges::replace(option, '_', '-');
    options += fmt::format(" --{} {}", option, value);
  }
  return fmt::format("it fits with{}, or made by foretile problem with{}", set, options);
}

std::vector<Parameter> tilings_to_try(const Case& the_case, const TimeBudget& budget) {
  const std::vector<Settings> all = finer_tilings(the_case.problem);
  if (all.empty() || fits(the_case, the_case.problem, budget.left()).value_or(true)) return {};
  const auto first = finer_tiling_that_fits(the_case, budget);
  if (!first) return {};
  std::vector<Parameter> parameters;
  const auto found = std::ranges::find(all, *first);
  for (const auto& [key, value] : *first) {
    Parameter parameter{"problem." + key, {value}};
    if (std::next(found) != all.end() && std::next(found)->at(key) != value)
      parameter.values.push_back(std::next(found)->at(key));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace foretile
