#include "planner/strategy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "platforms/checks.hpp"

namespace foretile {

const Strategy& find_strategy(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& strategy : strategies()) {
    if (strategy->name() == name) return *strategy;
    names.push_back(strategy->name());
  }
  throw input_error("strategy", name, fmt::format("one of {}", fmt::join(names, ", ")));
}

namespace {

Settings with_defaults(const Strategy& strategy, Settings settings) {
  const auto known = strategy.parameters();
  std::vector<std::string> keys;
  for (const ParameterInfo& parameter : known) keys.push_back(parameter.key);
  for (const auto& [key, value] : settings) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw input_error(
          "--set " + key, "an unknown key",
          fmt::format("one of {} for strategy {}", fmt::join(keys, ", "), strategy.name()),
          "other strategies (--set strategy=NAME) have other keys; those of the machine start with "
          "`platform.`");
    }
  }
  for (const ParameterInfo& parameter : known) settings.try_emplace(parameter.key, parameter.default_value);
  return settings;
}

}  // namespace

std::unique_ptr<RankPlanner> prepare_planner(const Contraction& contraction, const Machine& machine,
                                             const Settings& settings) {
  check_precision(machine.platform, contraction.precision);
  Settings own = settings;
  const auto named = own.extract("strategy");
  const Strategy& strategy = named ? find_strategy(named.mapped()) : *strategies().front();
  return strategy.prepare(contraction, machine, with_defaults(strategy, std::move(own)));
}

Plan make_plan(const Contraction& contraction, const Machine& machine, const Settings& settings) {
  const auto planner = prepare_planner(contraction, machine, settings);
  Plan plan = planner->frame();
  for (int rank = 0; rank < plan.grid.size(); ++rank) plan.ranks.push_back(planner->plan_rank(rank));
  return plan;
}

}  // namespace foretile
