// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/strategy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "planner/plan/flow.hpp"
#include "planner/problem/limits.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/device_messages.hpp"
#include "planner/strategies/ready_order.hpp"
#include "platforms/checks.hpp"

namespace foretile {

const std::vector<ParameterInfo>& Strategy::parameters() const {
  std::call_once(listed_, [&] { parameters_ = list_parameters(); });
  return parameters_;
}

std::string present_name(const std::string& name) {
  for (const auto& strategy : strategies()) {
    if (!name.empty() && strategy->former_name() == name) return strategy->name();
  }
  return name;
}

const Strategy& find_strategy(const std::string& given) {
  const std::string name = present_name(given);
  std::vector<std::string> names;
  for (const auto& strategy : strategies()) {
    if (strategy->name() == name) return *strategy;
    names.push_back(strategy->name());
  }
  throw input_error("strategy", name, fmt::format("one of {}", fmt::join(names, ", ")));
}

namespace {

std::ptrdiff_t known_of(const Strategy& strategy, const Settings& settings) {
  const auto& known = strategy.parameters();
  return std::count_if(settings.begin(), settings.end(),
                       [&](const auto& setting) { return find_parameter(known, setting.first); });
}

/// Of those that know most of the settings.
const Strategy* first_that_honours(const Sources& sources, const Settings& settings) {
  const Strategy* first = nullptr;
  for (const auto& strategy : strategies()) {
    if (!strategy->honours(sources)) continue;
    if (!first || known_of(*strategy, settings) > known_of(*first, settings)) first = strategy.get();
  }
  return first;
}

std::string text_of(const Sources& sources) {
  return fmt::format("A is {}, B is {}", name_of(sources.a), name_of(sources.b));
}

[[noreturn]] void refuse_sources(const Sources& sources) {
  std::vector<std::pair<std::string, std::string>> known;  // sources, and the strategies that honour them
  for (const auto& strategy : strategies()) {
    const std::string honoured = text_of(strategy->sources_for(sources));
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == honoured; });
    if (same == known.end()) {
      known.emplace_back(honoured, strategy->name());
    } else {
      same->second += ", " + strategy->name();
    }
  }
  std::vector<std::string> texts;
  for (const auto& [honoured, names] : known) texts.push_back(fmt::format("{} ({})", honoured, names));
  throw input_error("a_source, b_source", text_of(sources), fmt::format("{}", fmt::join(texts, " or ")),
                    "change the problem, or set strategy=NAME to override it");
}

std::string override_of(std::string_view matrix, Source asked, Source used, const std::string& strategy) {
  if (asked == used) return {};
  return fmt::format("{} is {}; {} {}: the problem's source is overridden", matrix, name_of(asked), strategy,
                     used == Source::generated ? "generates it" : "takes it as given");
}

Settings with_defaults(const Strategy& strategy, Settings settings) {
  settings.erase("strategy");
  const auto& known = strategy.parameters();
  std::vector<std::string> keys;
  for (const ParameterInfo& parameter : known) keys.push_back(parameter.key);
  for (auto& [key, value] : settings) {
    const ParameterInfo* const parameter = find_parameter(known, key);
    if (!parameter) {
      throw unknown_key(
          "parameters", key, keys,
          fmt::format(" of strategy {} (keys of the machine start with \"platform.\")", strategy.name()));
    }
    value = parameter->spelling(key, value);
  }
  for (const ParameterInfo& parameter : known) settings.try_emplace(parameter.key, parameter.default_value);
  return settings;
}

}  // namespace

const Strategy& choose_strategy(const Sources& sources, const Settings& settings) {
  if (const auto named = settings.find("strategy"); named != settings.end())
    return find_strategy(named->second);
  if (const Strategy* const honouring = first_that_honours(sources, settings)) return *honouring;
  refuse_sources(sources);
}

std::string StrategyChoice::reason() const {
  if (!overridden.empty()) return overridden;
  return fmt::format("{}: {} honours them", text_of(sources), strategy);
}

StrategyChoice explain_choice(const Sources& sources, const std::string& name) {
  const Strategy& strategy = find_strategy(name);
  const Sources used = strategy.sources_for(sources);
  std::string of_a = override_of("A", sources.a, used.a, name);
  const std::string of_b = override_of("B", sources.b, used.b, name);
  if (!of_a.empty() && !of_b.empty()) of_a += "; ";
  return {name, sources, of_a + of_b};
}

void require_honoured(const StrategyChoice& choice) {
  if (choice.overridden.empty()) return;
  throw input_error(fmt::format("strategy {}", choice.strategy), text_of(choice.sources),
                    text_of(find_strategy(choice.strategy).sources_for(choice.sources)),
                    fmt::format("set strategy={} to override the problem", choice.strategy));
}

Settings settings_for_terms(const Settings& settings) {
  if (settings.contains("strategy")) return settings;
  const Strategy& for_terms =
      **std::ranges::find_if(strategies(), [](const auto& strategy) { return strategy->suits_terms(); });
  const std::vector<ParameterInfo>& known = for_terms.parameters();
  const auto is_of_others = [&](const std::string& key) {
    return !find_parameter(known, key) && std::ranges::any_of(strategies(), [&](const auto& strategy) {
      return find_parameter(strategy->parameters(), key) != nullptr;
    });
  };
  const bool others =
      std::ranges::any_of(settings, [&](const auto& setting) { return is_of_others(setting.first); });
  Settings all = settings;
  if (!others) all["strategy"] = for_terms.name();
  return all;
}

std::vector<std::string> strategies_for_terms() {
  std::vector<std::string> names;
  for (const auto& strategy : strategies()) {
    if (strategy->honours({})) names.push_back(strategy->name());
  }
  return names;
}

Settings settings_of_strategy(const std::string& name, const Settings& settings) {
  const std::vector<ParameterInfo>& known = find_strategy(name).parameters();
  Settings own{{"strategy", name}};
  for (const auto& [key, value] : settings) {
    if (find_parameter(known, key)) own.emplace(key, value);
  }
  return own;
}

std::optional<double> operand_bytes(const Contraction& contraction, int ranks, const Settings& settings) {
  const auto named = settings.find("strategy");
  if (named == settings.end() || asks_for_comparison(settings)) return {};
  const Strategy& strategy = find_strategy(named->second);
  return strategy.operand_bytes(contraction, ranks, with_defaults(strategy, settings));
}

std::optional<PredictedVolumes> predict_volumes(const Contraction& contraction, const Machine& machine,
                                                const PlanFrame& plan) {
  return find_strategy(plan.strategy).predicted_volumes(contraction, machine, plan);
}

std::optional<NodeVolume> node_volume(const Contraction& contraction, const Machine& machine,
                                      const PlanFrame& plan) {
  return find_strategy(plan.strategy).node_volume(contraction, machine, plan);
}

Bound bound_before_planning(const Contraction& contraction, const Machine& machine,
                            const Settings& settings) {
  const Strategy& strategy = choose_strategy(contraction.sources, settings);
  return problem_bound(contraction, machine, strategy.sources_for(contraction.sources),
                       strategy.distribution_of_c(contraction, machine, settings));
}

Settings plan_key(const Contraction& contraction, const Machine& machine, const Settings& settings) {
  const Strategy& strategy = choose_strategy(contraction.sources, settings);
  Settings key = strategy.plan_key(contraction, machine, with_defaults(strategy, settings));
  key["strategy"] = strategy.name();
  return key;
}

std::vector<Settings> changes_with_less_per_rank(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings) {
  if (asks_for_comparison(settings)) return {};
  const Strategy& strategy = choose_strategy(contraction.sources, settings);
  return strategy.with_less_per_rank(contraction, machine, with_defaults(strategy, settings));
}

namespace {

std::vector<bool> in_place_of(const OperandContext& context, const PlanFrame& frame) {
  std::vector<bool> in_place = context.in_place;
  if (!gpus_permute(frame)) return in_place;
  for (std::size_t tile = 0; tile < context.in_other_order.size(); ++tile)
    in_place[tile] = in_place[tile] || context.in_other_order[tile];
  return in_place;
}

Plan plan_all(const RankPlanner& planner, const CountFunction& progress, const PlanContext& context) {
  Plan plan{planner.frame(), {}};
  plan.operands.a.in_place = in_place_of(context.a, plan);
  plan.operands.b.in_place = in_place_of(context.b, plan);
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    plan.ranks.push_back(planner.plan_rank(rank));
    if (progress) progress(rank + 1);
  }
  set_ready_order(plan, plan.parameters);
  return plan;
}

}  // namespace

std::unique_ptr<RankPlanner> prepare_planner(const Contraction& contraction, const Machine& machine,
                                             const Settings& settings, const PlanContext& context) {
  check_precision(machine.platform, contraction.precision);
  check_bytes(contraction);
  const Strategy& strategy = choose_strategy(contraction.sources, settings);
  return strategy.prepare(contraction, machine, with_defaults(strategy, settings), context);
}

Plan make_plan(const Contraction& contraction, const Machine& machine, const Settings& settings,
               const CountFunction& progress, const PlanContext& context) {
  const auto planned_for = [&](const Machine& on) {
    return plan_all(*prepare_planner(contraction, on, settings, context), progress, context);
  };
  if (context.device_message_bytes)
    return with_bytes_for_messages(planned_for(machine), *context.device_message_bytes);
  if (!machine.receives_on_devices()) return planned_for(machine);
  return with_room_for_messages(contraction, machine, planned_for);
}

}  // namespace foretile
