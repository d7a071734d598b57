// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "planner/problem/kinds/problem_table.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/keys.hpp"
#include "platforms/loader.hpp"
#include "platforms/show.hpp"

namespace foretile {

namespace {

constexpr std::string_view platform_prefix = "platform.";
constexpr std::string_view problem_prefix = "problem.";

bool is_of_strategy(const std::string& key) {
  return key != "problem" && key != "strategy" && !key.starts_with(platform_prefix) &&
         !key.starts_with(problem_prefix);
}

const Parameter* find_in(const Space& space, std::string_view name) {
  for (const Parameter& parameter : space.parameters()) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

/// The default one, as far as the space allows it: of its strategies, or with its parameters.
const Strategy& strategy_of(const std::string& problem, const SpaceQuestion& question, const Space& space) {
  const auto known = question.sources.find(problem);
  const Sources sources = known == question.sources.end() ? Sources{} : known->second;
  if (const Parameter* const searched = find_in(space, "strategy")) {
    for (const auto& strategy : strategies()) {
      const auto& names = searched->values;
      if (strategy->honours(sources) &&
          std::find(names.begin(), names.end(), strategy->name()) != names.end())
        return *strategy;
    }
  }
  Settings settings = question.fixed;
  for (const Parameter& parameter : space.parameters()) {
    if (is_of_strategy(parameter.name)) settings[parameter.name];
  }
  return choose_strategy(sources, settings);
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys{"problem", "strategy"};
  for (const auto& strategy : strategies()) {
    for (const ParameterInfo& parameter : strategy->parameters()) keys.push_back(parameter.key);
  }
  for (const char* const kind : {"dense", "random", "molecule"}) {
    for (const std::string& key : tiling_keys_of_kind(kind))
      keys.push_back(std::string(problem_prefix) + key);
  }
  for (const PlatformKey& key : platform_keys()) keys.push_back(std::string(platform_prefix) + key.path);
  std::sort(keys.begin(), keys.end());  // strategies share some
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// The keys of a platform are too many to list.
std::vector<std::string> without_platform(std::vector<std::string> keys) {
  std::erase_if(keys, [](const std::string& key) { return key.starts_with(platform_prefix); });
  keys.emplace_back("platform.KEY with any key of a platform file");
  return keys;
}

bool fixed_by_set(const std::string& key, const SpaceQuestion& question) {
  const auto sets_key = [&](const std::string& setting) { return setting.starts_with(key + "="); };
  if (key.starts_with(problem_prefix))
    return question.fixed_tiling.contains(key.substr(problem_prefix.size()));
  return question.fixed.contains(key) ||
         std::any_of(question.fixed_platform.begin(), question.fixed_platform.end(), sets_key);
}

using StrategiesByName = std::map<std::string, const Strategy*>;

/// The strategies that candidates may have.
StrategiesByName possible_strategies(const Space& space, const SpaceQuestion& question) {
  StrategiesByName possible;
  if (const Parameter* const searched = find_in(space, "strategy")) {
    for (const std::string& name : searched->values) possible[name] = &find_strategy(name);
    return possible;
  }
  const Parameter* const chosen = find_in(space, "problem");
  for (const std::string& problem : chosen ? chosen->values : question.problems) {
    const Strategy& strategy = strategy_of(problem, question, space);
    possible[strategy.name()] = &strategy;
  }
  return possible;
}

/// Takes what one of them takes.
Spelling either_of(std::vector<Spelling> spellings) {
  return [spellings = std::move(spellings)](std::string_view where, const std::string& text) {
    for (std::size_t i = 0; i + 1 < spellings.size(); ++i) {
      try {
        return spellings[i](where, text);
      } catch (const InputError&) {  // the last one says what it expects
      }
    }
    return spellings.back()(where, text);
  };
}

/// A parameter, or a value, that no possible strategy has would make all candidates infeasible.
Spelling spelling_of(const std::string& key, const StrategiesByName& possible, const std::string& where) {
  std::vector<Spelling> spellings;
  std::vector<std::string> keys;
  std::string names;
  for (const auto& [name, strategy] : possible) {
    names += (names.empty() ? "" : " and ") + name;
    for (const ParameterInfo& info : strategy->parameters()) {
      if (info.key == key) spellings.push_back(info.spelling);
      keys.push_back(info.key);
    }
  }
  if (spellings.empty()) throw unknown_key(where, key, keys, " of strategy " + names);
  return either_of(std::move(spellings));
}

/// A tiling key that the kind of none of the problems has would make all candidates infeasible.
void check_tiling_key(const Parameter& parameter, const SpaceQuestion& question) {
  const std::string key = parameter.name.substr(problem_prefix.size());
  std::vector<std::string> known;
  for (const auto& [name, problem] : question.loaded) {
    for (const std::string& of_kind : tiling_keys(problem)) {
      if (of_kind == key) return;
      known.push_back(std::string(problem_prefix) + of_kind);
    }
  }
  throw unknown_key(parameter.where, parameter.name, known, " of these problems");
}

Spelling spelling_of(const Parameter& parameter, const StrategiesByName& possible) {
  if (parameter.name.starts_with(problem_prefix)) return spell_tiling_value;
  if (!parameter.name.starts_with(platform_prefix))
    return spelling_of(parameter.name, possible, parameter.where);
  const PlatformKey* const key = find_platform_key(parameter.name.substr(platform_prefix.size()));
  return [key](std::string_view where, const std::string& text) {
    return spell_platform_value(*key, text, std::string(where));
  };
}

void check_values(const Parameter& parameter, const StrategiesByName& possible) {
  if (parameter.name == "problem" || parameter.name == "strategy") return;
  const Spelling spelling = spelling_of(parameter, possible);
  const std::string where = fmt::format("{}: {}", parameter.where, parameter.name);
  std::map<std::string, std::string> seen;
  for (const std::string& value : parameter.values) {
    const auto [other, is_new] = seen.emplace(spelling(where, value), value);
    if (!is_new)
      throw input_error(where, fmt::format("{} and {}, the same", other->second, value), "each value once",
                        "remove one");
  }
}

void check_fixed(const Settings& fixed, const StrategiesByName& possible) {
  for (const auto& [key, value] : fixed) {
    if (key != "strategy") spelling_of(key, possible, "--set")(key, value);
  }
}

void check_strategies(const Space& space) {
  std::vector<std::string> names;
  for (const auto& strategy : strategies()) names.push_back(strategy->name());
  const Spelling known = one_of(std::move(names));
  if (const Parameter* const searched = find_in(space, "strategy")) {
    for (const std::string& name : searched->values) known(searched->where + ": strategy", name);
  }
}

void check_keys(const Space& space, const SpaceQuestion& question) {
  check_strategies(space);
  const std::vector<std::string> known = known_keys();
  const auto possible = possible_strategies(space, question);
  for (const Parameter& parameter : space.parameters()) {
    const std::string where = fmt::format("{}: {}", parameter.where, parameter.name);
    if (std::find(known.begin(), known.end(), parameter.name) == known.end()) {
      throw unknown_key(parameter.where, parameter.name, without_platform(known), " in [parameters]", known);
    }
    if (parameter.name.starts_with(problem_prefix)) check_tiling_key(parameter, question);
    check_values(parameter, possible);
    if (fixed_by_set(parameter.name, question)) {
      throw input_error(where, "a parameter that --set fixes", "one or the other",
                        "leave it out of the space or out of --set");
    }
  }
}

/// One rank per node, one per socket, and what the platform says; only as far as whole devices remain.
std::vector<int> ranks_per_node(const Platform& platform) {
  if (platform.device.kind != DeviceKind::gpu) return {};
  std::vector<int> counts{1, platform.sockets, platform.ranks_per_node};
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::erase_if(counts, [&](int count) { return platform.devices_per_node() % count != 0; });
  return counts.size() > 1 ? counts : std::vector<int>{};
}

/// Without figures for launches of several, all batches look alike.
bool worth_trying(const ParameterInfo& info, const Platform& platform) {
  return !info.for_batches || platform.device.batched.rate_flops_per_s > 0;
}

std::vector<Parameter> tried_parameters(const Strategy& strategy, const Machine& machine) {
  std::vector<Parameter> parameters;
  for (const ParameterInfo& info : strategy.parameters()) {
    if (!worth_trying(info, machine.platform)) continue;
    std::vector<std::string> values = info.tries;
    if (info.tries_divisors) {
      for (std::string& divisor : tried_divisors(machine.ranks)) values.push_back(std::move(divisor));
    }
    if (!values.empty()) parameters.push_back({info.key, std::move(values)});
  }
  return parameters;
}

bool same_names(const std::vector<Parameter>& l, const std::vector<Parameter>& r) {
  return std::equal(l.begin(), l.end(), r.begin(), r.end(),
                    [](const Parameter& a, const Parameter& b) { return a.name == b.name; });
}

void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

/// Of the first problem's strategy and, unless one is named, of all that honour its sources and have the same
/// parameters to try.
std::vector<Parameter> tried_by_strategies(const SpaceQuestion& question, const Machine& machine) {
  const Strategy& first = strategy_of(question.problems.front(), question, Space{});
  std::vector<Parameter> tried = tried_parameters(first, machine);
  const auto known = question.sources.find(question.problems.front());
  if (question.fixed.contains("strategy") || known == question.sources.end()) return tried;
  std::vector<std::string> names{first.name()};
  const std::vector<Parameter> of_first = tried;
  for (const auto& other : strategies()) {
    const std::vector<Parameter> more = tried_parameters(*other, machine);
    if (other->name() == first.name() || !other->honours(known->second) || !same_names(of_first, more))
      continue;
    names.push_back(other->name());
    for (std::size_t p = 0; p < tried.size(); ++p) add_new(tried[p].values, more[p].values);
  }
  if (names.size() > 1) tried.push_back({"strategy", std::move(names)});
  return tried;
}

/// Of several problems, each is one tiling.
std::vector<Parameter> tilings(const SpaceQuestion& question) {
  const auto problem = question.loaded.find(question.problems.front());
  if (question.problems.size() > 1 || problem == question.loaded.end()) return {};
  std::vector<Parameter> parameters = parse_tilings(problem->second.toml, problem->second.source);
  for (const Parameter& parameter : parameters) check_values(parameter, {});
  for (const Parameter& finer : question.finer_tilings) {
    const auto known = std::ranges::find(parameters, finer.name, &Parameter::name);
    if (known == parameters.end()) {
      parameters.push_back(finer);
    } else {
      add_new(known->values, finer.values);
    }
  }
  return parameters;
}

std::vector<Parameter> free_default_parameters(const SpaceQuestion& question, const Machine& machine) {
  const Space space = default_space(tried_by_strategies(question, machine), ranks_per_node(machine.platform));
  std::vector<Parameter> parameters = space.parameters();
  for (Parameter& tiling : tilings(question)) parameters.push_back(std::move(tiling));
  std::erase_if(parameters, [&](const Parameter& p) { return fixed_by_set(p.name, question); });
  return parameters;
}

/// The value as the space spells it, if it is there. Some of the space's values may be for other strategies.
std::string spelled_as(const Parameter& parameter, const std::string& value, const Spelling& spelling) {
  const std::string wanted = spelling(parameter.name, value);
  const auto same = [&](const std::string& text) {
    try {
      return spelling(parameter.name, text) == wanted;
    } catch (const InputError&) {
      return false;
    }
  };
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(), same);
  return found == parameter.values.end() ? value : *found;
}

std::optional<std::string> strategy_default(const Parameter& parameter, const Strategy& strategy) {
  if (parameter.name == "strategy") return strategy.name();
  const std::vector<ParameterInfo>& parameters = strategy.parameters();
  const ParameterInfo* const info = find_parameter(parameters, parameter.name);
  if (!info) return std::nullopt;
  return spelled_as(parameter, info->default_value, info->spelling);
}

std::optional<std::string> platform_default(const Parameter& parameter, const nlohmann::json& figures) {
  const std::string path = parameter.name.substr(platform_prefix.size());
  if (!figures.contains(path)) return std::nullopt;
  for (const std::string& value : parameter.values) {
    const nlohmann::json& figure = figures.at(path);
    if (figure.is_number() ? parse_quantity(value, find_platform_key(path)->dimension, parameter.name) ==
                                 figure.get<double>()
                           : figure.dump() == value || figure == value)
      return value;
  }
  return std::nullopt;
}

std::optional<std::string> tiling_default(const Parameter& parameter, const Problem& problem) {
  const auto value = tiling_value(problem, parameter.name.substr(problem_prefix.size()));
  if (!value) return std::nullopt;
  const auto same = [&](const std::string& text) {
    return spell_tiling_value(parameter.name, text) == *value;
  };
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(), same);
  return found == parameter.values.end() ? std::nullopt : std::optional(*found);
}

Candidate default_candidate(const Space& space, const std::string& problem, const Strategy& strategy,
                            const SpaceQuestion& question, const nlohmann::json& figures) {
  const auto loaded = question.loaded.find(problem);
  Candidate candidate;
  for (const Parameter& parameter : space.parameters()) {
    std::optional<std::string> value;
    if (parameter.name == "problem") {
      value = problem;
    } else if (parameter.name.starts_with(platform_prefix)) {
      value = platform_default(parameter, figures);
    } else if (parameter.name.starts_with(problem_prefix)) {
      const auto finer = std::ranges::find(question.finer_tilings, parameter.name, &Parameter::name);
      if (finer != question.finer_tilings.end()) {
        value = finer->values.front();
      } else if (loaded != question.loaded.end()) {
        value = tiling_default(parameter, loaded->second);
      }
    } else {
      value = strategy_default(parameter, strategy);
    }
    if (value) candidate[parameter.name] = *value;
  }
  return candidate;
}

std::vector<std::string> problems_in(const Space& space, const SpaceQuestion& question) {
  std::vector<std::string> problems{question.problems.front()};
  if (const Parameter* const chosen = find_in(space, "problem")) add_new(problems, chosen->values);
  return problems;
}

bool has_its_values(const Space& space, const Candidate& candidate) {
  return std::all_of(space.parameters().begin(), space.parameters().end(), [&](const Parameter& parameter) {
    const auto value = candidate.find(parameter.name);
    return value == candidate.end() || std::find(parameter.values.begin(), parameter.values.end(),
                                                 value->second) != parameter.values.end();
  });
}

Space with_present_keys(const Space& read) {
  std::vector<Parameter> parameters = read.parameters();
  for (Parameter& parameter : parameters) {
    parameter.name = present_key(parameter.name);
    if (parameter.name == "strategy")
      std::ranges::transform(parameter.values, parameter.values.begin(), present_name);
  }
  return Space(std::move(parameters));
}

}  // namespace

std::vector<Evaluation> with_present_keys(std::vector<Evaluation> evaluations) {
  for (Evaluation& evaluation : evaluations) {
    evaluation.candidate = present_keys(evaluation.candidate);
    if (const auto named = evaluation.candidate.find("strategy"); named != evaluation.candidate.end())
      named->second = present_name(named->second);
  }
  return evaluations;
}

std::vector<std::string> candidate_problems(const SpaceQuestion& question) {
  std::vector<std::string> problems{question.problems.front()};
  if (question.file.empty()) {
    add_new(problems, question.problems);
    return problems;
  }
  const Space space = load_space(question.file);
  const Parameter* const chosen = find_in(space, "problem");
  add_new(problems, chosen ? chosen->values : question.problems);
  return problems;
}

Space tune_space(const SpaceQuestion& question, const Machine& machine) {
  std::vector<Parameter> parameters;
  if (question.file.empty()) {
    parameters = free_default_parameters(question, machine);
  } else {
    const Space read = with_present_keys(load_space(question.file));
    check_keys(read, question);
    parameters = read.parameters();
  }
  check_fixed(question.fixed, possible_strategies(Space(parameters), question));
  const bool has_problem = std::any_of(parameters.begin(), parameters.end(),
                                       [](const Parameter& p) { return p.name == "problem"; });
  if (!has_problem && question.problems.size() > 1) parameters.push_back({"problem", question.problems});
  return Space(std::move(parameters));
}

std::vector<Candidate> default_candidates(const Space& space, const SpaceQuestion& question,
                                          const Platform& platform) {
  const nlohmann::json figures = platform_summary_json(platform).at("figures");
  std::vector<Candidate> candidates;
  for (const std::string& problem : problems_in(space, question))
    candidates.push_back(
        default_candidate(space, problem, strategy_of(problem, question, space), question, figures));
  return candidates;
}

std::vector<Candidate> other_strategies_defaults(const Space& space, const SpaceQuestion& question,
                                                 const Platform& platform) {
  std::vector<Candidate> candidates;
  const Parameter* const searched = find_in(space, "strategy");
  if (!searched) return candidates;
  const nlohmann::json figures = platform_summary_json(platform).at("figures");
  for (const std::string& problem : problems_in(space, question)) {
    for (const std::string& name : searched->values) {
      if (name == strategy_of(problem, question, space).name()) continue;
      Candidate candidate = default_candidate(space, problem, find_strategy(name), question, figures);
      if (has_its_values(space, candidate)) candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

}  // namespace foretile
