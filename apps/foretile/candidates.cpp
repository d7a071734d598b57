// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/bound/products_seconds.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "platforms/cost/energy.hpp"
#include "platforms/loader.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

constexpr std::string_view kPlatformPrefix = "platform.";
constexpr std::string_view kProblemPrefix = "problem.";

struct Parts {
  Settings tiling;
  std::vector<std::string> platform;
  Settings strategy;
};

Parts parts_of(const Candidate& candidate) {
  Parts parts;
  for (const auto& [key, value] : candidate) {
    if (key == "problem") continue;
    if (key.starts_with(kPlatformPrefix)) {
      parts.platform.push_back(fmt::format("{}={}", key, value));
    } else if (key.starts_with(kProblemPrefix)) {
      parts.tiling[key.substr(kProblemPrefix.size())] = value;
    } else {
      parts.strategy[key] = value;
    }
  }
  return parts;
}

/// Of a job with these products that takes so many seconds or more.
double least_joules(const Machine& machine, double seconds, double products_s) {
  return joules_of(machine, least_use(machine, seconds, products_s));
}

/// A job with these products that takes longer has taken more than `joules`.
double seconds_within(const Machine& machine, double joules, double products_s) {
  const double busy =
      busy_joules(machine, least_use(machine, products_s, products_s));  // time enough for all
  return std::max(0.0, (joules - busy) / idle_watts(machine));
}

}  // namespace

Candidates::Candidates(TuneCase tune_case) : case_(std::move(tune_case)) {
  for (const auto& [name, problem] : case_.problems) {
    const auto added = contractions_.emplace(name, build_contraction(problem)).first;
    warn_of_long_planning(estimate_planning(added->second));
  }
}

const std::string& Candidates::problem_name(const Candidate& candidate) const {
  const auto named = candidate.find("problem");
  return named == candidate.end() ? case_.first_problem : named->second;
}

Problem Candidates::problem_of(const Candidate& candidate) const {
  return retile(case_.problems.at(problem_name(candidate)), parts_of(candidate).tiling);
}

std::string Candidates::problem_text(const Candidate& candidate) const {
  std::string text = problem_name(candidate);
  for (const auto& [key, value] : parts_of(candidate).tiling) text += fmt::format("\n{}={}", key, value);
  return text;
}

const Sources& Candidates::sources_of(const Candidate& candidate) const {
  return contractions_.at(problem_name(candidate)).sources;
}

const Contraction& Candidates::contraction_of(const Candidate& candidate) const {
  const std::string text = problem_text(candidate);
  const auto known = contractions_.find(text);
  if (known != contractions_.end()) return known->second;
  return contractions_.emplace(text, build_contraction(problem_of(candidate))).first->second;
}

std::map<std::string, Sources> Candidates::sources() const {
  std::map<std::string, Sources> of_problem;
  for (const auto& [name, problem] : case_.problems) of_problem[name] = contractions_.at(name).sources;
  return of_problem;
}

StrategyChoice Candidates::choice(const Candidate& candidate) const {
  Settings settings = parts_of(candidate).strategy;
  settings.merge(Settings(case_.fixed));
  const Sources& sources = sources_of(candidate);
  return explain_choice(sources, choose_strategy(sources, settings).name());
}

PlannedWork Candidates::plan(const Candidate& candidate, const CountFunction& progress) const {
  if (!case_.fixed.contains("strategy")) require_honoured(choice(candidate));
  Parts parts = parts_of(candidate);
  parts.strategy.merge(Settings(case_.fixed));
  Platform platform = parse_platform(case_.platform.toml, case_.platform.source, parts.platform);
  return plan_work(contraction_of(candidate), make_machine(std::move(platform), case_.size), parts.strategy,
                   progress);
}

/// All that a simulation depends on: the problem, the plan and the machine.
std::string Candidates::same_text(const Candidate& candidate, const PlannedWork& work) const {
  const Machine& machine = work.machine;
  return digest(fmt::format("{}\n{}\n{} {} {}\n{}", problem_text(candidate), plan_digest(work.plan),
                            machine.ranks, machine.ranks_per_node, machine.devices_per_rank,
                            machine.platform.toml));
}

Outcome Candidates::bound(const Candidate& candidate) const {
  const PlannedWork work = plan(candidate);
  double cost =
      work.machine.platform.noise.any() ? 0 : plan_bound(work.plan, work.contraction, work.machine).seconds;
  if (case_.goal == Goal::energy)
    cost = least_joules(work.machine, cost, known_without_plan(candidate).products_s);
  Outcome outcome = outcome_of_bound(cost, case_.goal);
  outcome.extra["plan"] = same_text(candidate, work);
  return outcome;
}

const Machine& Candidates::machine_of(const std::vector<std::string>& settings) const {
  const auto [machine, is_new] = machines_.try_emplace(fmt::format("{}", fmt::join(settings, "\n")));
  if (is_new) {
    try {
      machine->second =
          make_machine(parse_platform(case_.platform.toml, case_.platform.source, settings), case_.size);
    } catch (const InputError&) {
      machine->second.ranks = 0;
    }
  }
  return machine->second;
}

Candidates::Known Candidates::known_without_plan(const Candidate& candidate) const {
  Parts parts = parts_of(candidate);
  const Machine& machine = machine_of(parts.platform);
  if (machine.ranks == 0 || machine.platform.noise.any()) return {};
  parts.strategy.merge(Settings(case_.fixed));
  try {
    const Contraction& contraction = contraction_of(candidate);
    const Strategy& strategy = choose_strategy(contraction.sources, parts.strategy);
    const DistributionOfC distribution = strategy.distribution_of_c(contraction, machine, parts.strategy);
    const std::string key = fmt::format(
        "{}\n{}\n{} {} {} {} {}", problem_text(candidate), fmt::join(parts.platform, "\n"), strategy.name(),
        distribution.rows, distribution.columns, distribution.partial_sums, distribution.cores_beside);
    const auto [bound, is_new] = first_bounds_.try_emplace(key);
    if (is_new) {
      bound->second.seconds = bound_before_planning(contraction, machine, parts.strategy).seconds;
      if (case_.goal == Goal::energy && distribution.cores_beside == 0)
        bound->second.products_s = least_products_s(candidate, machine);
    }
    return bound->second;
  } catch (const InputError&) {  // planning would throw it, too
    return {std::numeric_limits<double>::infinity()};
  }
}

double Candidates::least_products_s(const Candidate& candidate, const Machine& machine) const {
  const auto [seconds, is_new] =
      products_s_.try_emplace(problem_text(candidate) + '\n' + machine.platform.toml, 0.0);
  if (is_new) seconds->second = least_products_seconds(contraction_of(candidate), machine);
  return seconds->second;
}

double Candidates::first_bound(const Candidate& candidate) const {
  const Known known = known_without_plan(candidate);
  if (case_.goal != Goal::energy || std::isinf(known.seconds)) return known.seconds;
  return least_joules(machine_of(parts_of(candidate).platform), known.seconds, known.products_s);
}

Bound Candidates::bound_of_any_plan(const Candidate& candidate) const {
  Parts parts = parts_of(candidate);
  parts.strategy.merge(Settings(case_.fixed));
  const Machine& machine = machine_of(parts.platform);
  const Contraction& contraction = contraction_of(candidate);
  const Strategy& strategy = choose_strategy(contraction.sources, parts.strategy);
  const DistributionOfC of_c = strategy.distribution_of_c(contraction, machine, parts.strategy);
  return problem_bound(contraction, machine, strategy.sources_for(contraction.sources),
                       {.partial_sums = of_c.partial_sums, .cores_beside = of_c.cores_beside});
}

bool Candidates::decides_first_bound(const std::string& key) {
  if (key == "problem" || key == "strategy" || key.starts_with(kProblemPrefix) ||
      key.starts_with(kPlatformPrefix))
    return true;
  return std::any_of(strategies().begin(), strategies().end(), [&](const auto& strategy) {
    const auto& parameters = strategy->parameters();
    const ParameterInfo* const info = find_parameter(parameters, key);
    return info && info->distributes_c;
  });
}

FirstLook Candidates::look(const Candidate& candidate) const {
  Parts parts = parts_of(candidate);
  const Machine& machine = machine_of(parts.platform);
  if (machine.ranks == 0) return {};  // planning will tell why
  parts.strategy.merge(Settings(case_.fixed));
  try {
    if (!case_.fixed.contains("strategy")) require_honoured(choice(candidate));
    std::string text = fmt::format("{}\n{}", problem_text(candidate), fmt::join(parts.platform, "\n"));
    for (const auto& [key, value] : plan_key(contraction_of(candidate), machine, parts.strategy))
      text += fmt::format("\n{}={}", key, value);
    return {{}, text};
  } catch (const InputError& error) {
    return {error.what(), {}};
  }
}

std::int64_t effort_of(const PlannedWork& work) {
  std::int64_t messages = 0;
  for (const RankPlan& rank : work.plan.ranks)
    messages += std::ssize(rank.transfers) + std::ssize(rank.flow.results);
  return work.summary.chunks + messages;
}

Outcome Candidates::simulate(const Candidate& candidate, double most) const {
  return simulated(candidate, plan(candidate), most, {});
}

Outcome Candidates::simulate_coarsely(const Candidate& candidate) const {
  const PlannedWork work = plan(candidate);
  SimulationOptions options;
  options.groups = coarse_groups(work);
  return simulated(candidate, work, std::numeric_limits<double>::infinity(), options);
}

Outcome Candidates::simulated(const Candidate& candidate, const PlannedWork& work, double most,
                              SimulationOptions options) const {
  options.engine = case_.engine;
  options.stop_s = case_.goal == Goal::energy && std::isfinite(most)
                       ? seconds_within(work.machine, most, known_without_plan(candidate).products_s)
                       : most;
  const SimulationResult result = foretile::simulate(work.plan, work.contraction, work.machine, options);
  nlohmann::json extra{{"plan", same_text(candidate, work)}};
  if (result.stopped) {
    if (case_.goal == Goal::energy) extra[kJoulesKey] = most;
    return {Outcome::Status::stopped, 0, {}, std::move(extra), options.stop_s};
  }
  Report report = make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s);
  add_plan(report, work.contraction, work.machine, work.plan);
  extra[kRateKey] = report.flops_per_s();
  extra[kEffort] = effort_of(work);
  extra[kLimitKey] = limit_sentence(report);
  if (const auto joules = joules_of(result.ranks, work.machine, work.plan, result.makespan_s))
    extra[kJoulesKey] = *joules;
  return {Outcome::Status::done, report.makespan_s, {}, std::move(extra)};
}

}  // namespace foretile
