// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/planned_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/program/block_owners.hpp"
#include "planner/program/level_seconds.hpp"
#include "planner/program/made_tensors.hpp"
#include "planner/program/sum_pieces.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

std::int64_t PlannedProgram::peak_host_bytes() const {
  std::int64_t peak = flow ? flow->work.summary.peak_host_bytes : 0;
  for (const LevelPlan& level : levels) peak = std::max(peak, level.peak_host_bytes());
  return peak;
}

std::int64_t PlannedProgram::gemms() const {
  std::int64_t sum = flow ? flow->work.summary.gemms : 0;
  for (const LevelPlan& level : levels) sum += level.work ? level.work->summary.gemms : 0;
  return sum;
}

namespace {

std::string text_of(const LevelPlan& plan) {
  std::string text =
      fmt::format("{} {} {}\n", plan.number, plan.part, plan.work ? plan_digest(plan.work->plan) : "");
  for (const auto& [term, rows, columns] : plan.level.terms)
    text += fmt::format("{} {} {} {} {}\n", term, rows.begin, rows.end, columns.begin, columns.end);
  return text;
}

}  // namespace

std::string program_digest(const PlannedProgram& planned, const FusedProgram& program) {
  std::string text = planned.flow ? plan_digest(planned.flow->work.plan) + "\n" : "";
  for (const LevelPlan& level : planned.levels) text += text_of(level);
  const ProgramDistribution& distribution = planned.distribution;
  text += fmt::format("{}\n{}\n", fmt::join(made_names(program, distribution), " "),
                      fmt::join(distribution.sum_pieces, " "));
  for (const std::vector<Rank>& owners : distribution.owners) {
    for (const Rank owner : owners) text += fmt::format("{} ", static_cast<int>(owner));
    text += "\n";
  }
  return digest(text);
}

namespace {

double seconds_of(const std::vector<LevelPlan>& plans, const Machine& machine, const LevelSeconds& seconds) {
  double sum = 0;
  for (const LevelPlan& plan : plans) sum += seconds(plan, machine);
  return sum;
}

/// By the plans of the strategies in it, where levels take less with them: by bounds, which a run knows, too,
/// so that it has the same owners.
ProgramDistribution with_own_owners(const FusedProgram& program, ProgramDistribution distribution,
                                    const Machine& machine, const Settings& settings) {
  const auto seconds = [&](const std::vector<LevelPlan>& plans) {
    return seconds_of(plans, machine, least_seconds);
  };
  const std::vector<LevelPlan> plans = plan_program(program, distribution, machine, settings);
  ProgramDistribution other = distribution;
  other.owners = choose_owners(program, distribution, plans);
  try {
    if (seconds(plan_program(program, other, machine, settings)) < seconds(plans)) return other;
  } catch (const DoesNotFit&) {  // it did before
  }
  return distribution;
}

/// With these strategies of terms, and sums for them.
ProgramDistribution with_strategies(const FusedProgram& program, ProgramDistribution distribution,
                                    const Machine& machine, const Settings& settings,
                                    const std::vector<std::string>& names, SumCut cut) {
  distribution.strategies = names;
  distribution.sum_pieces =
      choose_sum_pieces(program, distribution, machine, settings_for_terms(settings), cut);
  return distribution;
}

}  // namespace

ProgramDistribution choose_distribution(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const Machine& machine, const Settings& settings, ProgramMode mode) {
  ProgramDistribution distribution{.ranks = machine.ranks, .on_demand = on_demand};
  distribution = with_strategies(program, std::move(distribution), machine, settings, {}, SumCut::fastest);
  const std::vector<LevelPlan> plans =
      mode == ProgramMode::flow ? plan_steps(program, distribution, machine, settings, kStepsAtOnce)
                                : plan_program(program, distribution, machine, settings);
  distribution.owners = choose_owners(program, distribution, plans);
  return distribution;
}

PlannedProgram plan_distributed(const FusedProgram& program, ProgramDistribution distribution,
                                const Machine& machine, const Settings& settings, ProgramMode mode) {
  PlannedProgram planned;
  planned.settings = settings;
  if (mode == ProgramMode::flow)
    planned.flow.emplace(plan_flow(program, distribution, machine, settings));
  else
    planned.levels = plan_program(program, distribution, machine, settings);
  planned.distribution = std::move(distribution);
  return planned;
}

namespace {

/// Plans a program in the ways that its user leaves open.
class Choice {
 public:
  Choice(const FusedProgram& program, const Machine& machine, const Settings& given,
         const ProgramPlanOptions& options)
      : program_(program),
        machine_(machine),
        settings_(given),
        mode_(options.mode),
        seconds_(options.seconds ? options.seconds : least_seconds),
        named_(take_named_strategies(program, settings_)),
        by_term_(asks_for_comparison(settings_)) {
    if (by_term_) settings_.erase("strategy");
    by_term_ = by_term_ && mode_ == ProgramMode::levels;
    if (mode_ == ProgramMode::flow && !named_.empty())
      throw input_error("parameter strategy.TERM", "a strategy of one term",
                        "the same for all where tiles flow", "take mode levels");
  }

  PlannedProgram with_chosen_owners(const std::vector<bool>& on_demand) const {
    ProgramDistribution chosen = choose_distribution(program_, on_demand, machine_, settings_, mode_);
    if (!named_.empty())
      chosen = with_strategies(program_, std::move(chosen), machine_, settings_, named_, SumCut::fastest);
    if (by_term_) chosen = choose_strategies(program_, std::move(chosen), machine_, settings_, seconds_);
    if (by_term_ || !named_.empty())
      chosen = with_own_owners(program_, std::move(chosen), machine_, settings_);
    PlannedProgram planned = plan(std::move(chosen));
    if (!by_term_) return planned;
    try {
      PlannedProgram other = round_robin(on_demand);
      if (seconds_of(other.levels, machine_, seconds_) < seconds_of(planned.levels, machine_, seconds_))
        return other;
    } catch (const DoesNotFit&) {  // as it is, then
    }
    return planned;
  }

  PlannedProgram round_robin(const std::vector<bool>& on_demand) const {
    ProgramDistribution blocks{.ranks = machine_.ranks, .on_demand = on_demand};
    blocks = with_strategies(program_, std::move(blocks), machine_, settings_, named_, SumCut::fewest);
    PlannedProgram planned = plan(blocks);
    if (!by_term_) return planned;
    return plan(choose_strategies(program_, std::move(blocks), machine_, settings_, seconds_));
  }

 private:
  PlannedProgram plan(ProgramDistribution distribution) const {
    return plan_distributed(program_, std::move(distribution), machine_, settings_, mode_);
  }

  const FusedProgram& program_;
  const Machine& machine_;
  Settings settings_;
  ProgramMode mode_;
  LevelSeconds seconds_;
  std::vector<std::string> named_;
  bool by_term_;
};

}  // namespace

PlannedProgram plan_program_as(const FusedProgram& program, const Machine& machine, const Settings& settings,
                               const ProgramPlanOptions& options) {
  const Choice choice(program, machine, settings, options);
  const bool chooses = options.distribution == DistributionChoice::automatic && machine.ranks > 1;
  const bool can_be = options.mode == ProgramMode::levels || may_flow(program);
  PlannedProgram planned;
  plan_with_made(program, options.made, [&](const std::vector<bool>& on_demand) {
    try {
      if (chooses && can_be) {
        planned = choice.with_chosen_owners(on_demand);
        return;
      }
    } catch (const DoesNotFit&) {  // round-robin, then
    }
    planned = choice.round_robin(on_demand);
  });
  return planned;
}

}  // namespace foretile
