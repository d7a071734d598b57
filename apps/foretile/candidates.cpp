// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/problem/kinds/retile.hpp"
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
  return {
      Outcome::Status::done,
      work.machine.platform.noise.any() ? 0 : plan_bound(work.plan, work.contraction, work.machine).seconds,
      {},
      {{"plan", same_text(candidate, work)}}};
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

double Candidates::first_bound(const Candidate& candidate) const {
  Parts parts = parts_of(candidate);
  const Machine& machine = machine_of(parts.platform);
  if (machine.ranks == 0 || machine.platform.noise.any()) return 0;
  parts.strategy.merge(Settings(case_.fixed));
  try {
    const Contraction& contraction = contraction_of(candidate);
    const Strategy& strategy = choose_strategy(contraction.sources, parts.strategy);
    const DistributionOfC distribution = strategy.distribution_of_c(contraction, machine, parts.strategy);
    const std::string key = fmt::format(
        "{}\n{}\n{} {} {} {} {}", problem_text(candidate), fmt::join(parts.platform, "\n"), strategy.name(),
        distribution.rows, distribution.columns, distribution.partial_sums, distribution.cores_beside);
    const auto [bound, is_new] = first_bounds_.try_emplace(key, 0.0);
    if (is_new) bound->second = bound_before_planning(contraction, machine, parts.strategy).seconds;
    return bound->second;
  } catch (const InputError&) {  // planning would throw it, too
    return std::numeric_limits<double>::infinity();
  }
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

Outcome Candidates::simulate(const Candidate& candidate, double stop_s) const {
  SimulationOptions options;
  options.stop_s = stop_s;
  return simulated(candidate, plan(candidate), options);
}

Outcome Candidates::simulate_coarsely(const Candidate& candidate) const {
  const PlannedWork work = plan(candidate);
  SimulationOptions options;
  options.groups = coarse_groups(work);
  return simulated(candidate, work, options);
}

Outcome Candidates::simulated(const Candidate& candidate, const PlannedWork& work,
                              SimulationOptions options) const {
  options.engine = case_.engine;
  const SimulationResult result = foretile::simulate(work.plan, work.contraction, work.machine, options);
  if (result.stopped)
    return {Outcome::Status::stopped, 0, {}, {{"plan", same_text(candidate, work)}}, options.stop_s};
  Report report = make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s);
  add_plan(report, work.contraction, work.machine, work.plan);
  return {Outcome::Status::done,
          report.makespan_s,
          {},
          {{kRateKey, report.flops_per_s()},
           {kEffort, effort_of(work)},
           {kLimitKey, limit_sentence(report)},
           {"plan", same_text(candidate, work)}}};
}

}  // namespace foretile
