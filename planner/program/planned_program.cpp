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
  std::int64_t peak = flow ? flow->peak_host_bytes : 0;
  for (const LevelPlan& level : levels) peak = std::max(peak, level.peak_host_bytes());
  return peak;
}

std::int64_t PlannedProgram::gemms() const {
  std::int64_t sum = flow ? flow->work.summary.gemms : 0;
  for (const LevelPlan& level : levels) sum += level.work ? level.work->summary.gemms : 0;
  return sum;
}

namespace {

std::string text_of(const FlowPlan& plan) {
  std::string text = plan_digest(plan.work.plan) + "\n";
  for (const auto& of_rank : plan.steps) {
    for (const FlowStep& step : of_rank)
      text += fmt::format("{} {} {} {} {}\n", static_cast<int>(step.kind), step.block.tensor,
                          step.block.block, fmt::join(step.order.from, " "), step.factor);
  }
  return text;
}

std::string text_of(const LevelPlan& plan) {
  std::string text =
      fmt::format("{} {} {}\n", plan.number, plan.part, plan.work ? plan_digest(plan.work->plan) : "");
  for (const auto& [term, rows, columns] : plan.level.terms)
    text += fmt::format("{} {} {} {} {}\n", term, rows.begin, rows.end, columns.begin, columns.end);
  return text;
}

}  // namespace

std::string program_digest(const PlannedProgram& planned, const FusedProgram& program) {
  std::string text = planned.flow ? text_of(*planned.flow) : "";
  for (const LevelPlan& level : planned.levels) text += text_of(level);
  const ProgramLayout& layout = program.layout();
  text += fmt::format("{}\n{}\n", fmt::join(made_names(program), " "), fmt::join(layout.sum_pieces, " "));
  for (const std::vector<Rank>& owners : layout.owners) {
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

/// By the plans of the strategies that the program now has, where levels take less with them: by bounds,
/// which a run knows, too, so that it has the same owners.
void choose_owners_anew(FusedProgram& program, const Machine& machine, const Settings& settings) {
  const ProgramLayout before = program.layout();
  const std::vector<LevelPlan> plans = plan_program(program, machine, settings);
  ProgramLayout after = before;
  after.owners = choose_owners(program, machine, plans);
  program.lay_out(std::move(after));
  try {
    const double seconds_after = seconds_of(plan_program(program, machine, settings), machine, least_seconds);
    if (seconds_after < seconds_of(plans, machine, least_seconds)) return;
  } catch (const DoesNotFit&) {  // it did before
  }
  program.lay_out(before);
}

/// Of the layout that the program has, without strategies.
void name_strategies(FusedProgram& program, const Machine& machine, const Settings& settings,
                     const std::vector<std::string>& names, SumCut cut) {
  ProgramLayout layout = program.layout();
  layout.strategies = names;
  program.lay_out(layout);
  layout.sum_pieces = choose_sum_pieces(program, machine, settings_for_terms(settings), cut);
  program.lay_out(std::move(layout));
}

}  // namespace

void choose_layout(FusedProgram& program, const Machine& machine, const Settings& settings,
                   ProgramMode mode) {
  ProgramLayout layout{{},
                       choose_sum_pieces(program, machine, settings_for_terms(settings), SumCut::fastest)};
  program.lay_out(layout);
  const std::vector<LevelPlan> plans = mode == ProgramMode::flow
                                           ? plan_steps(program, machine, settings, kStepsAtOnce)
                                           : plan_program(program, machine, settings);
  layout.owners = choose_owners(program, machine, plans);
  program.lay_out(std::move(layout));
}

PlannedProgram plan_laid_out(const FusedProgram& program, const Machine& machine, const Settings& settings,
                             ProgramMode mode) {
  PlannedProgram planned;
  planned.settings = settings;
  if (mode == ProgramMode::flow)
    planned.flow.emplace(plan_flow(program, machine, settings));
  else
    planned.levels = plan_program(program, machine, settings);
  return planned;
}

namespace {

/// Plans a program in the ways that its user leaves open.
class Choice {
 public:
  Choice(FusedProgram& program, const Machine& machine, const Settings& given,
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

  void with_chosen_layout() {
    choose_layout(program_, machine_, settings_, mode_);
    if (!named_.empty()) name_strategies(program_, machine_, settings_, named_, SumCut::fastest);
    if (by_term_) choose_strategies(program_, machine_, settings_, seconds_);
    if (by_term_ || !named_.empty()) choose_owners_anew(program_, machine_, settings_);
    plan();
    if (!by_term_) return;
    PlannedProgram chosen = std::move(planned_);
    ProgramLayout layout = program_.layout();
    try {
      in_turn();
      if (seconds_of(planned_.levels, machine_, seconds_) < seconds_of(chosen.levels, machine_, seconds_))
        return;
    } catch (const DoesNotFit&) {  // as it was, then
    }
    planned_ = std::move(chosen);
    program_.lay_out(std::move(layout));
  }

  void in_turn() {
    program_.lay_out({});
    name_strategies(program_, machine_, settings_, named_, SumCut::fewest);
    plan();
    if (!by_term_) return;
    choose_strategies(program_, machine_, settings_, seconds_);
    plan();
  }

  PlannedProgram planned() { return std::move(planned_); }

 private:
  void plan() { planned_ = plan_laid_out(program_, machine_, settings_, mode_); }

  FusedProgram& program_;
  const Machine& machine_;
  Settings settings_;
  ProgramMode mode_;
  LevelSeconds seconds_;
  std::vector<std::string> named_;
  bool by_term_;
  PlannedProgram planned_;
};

}  // namespace

PlannedProgram plan_program_as(FusedProgram& program, const Machine& machine, const Settings& settings,
                               const ProgramPlanOptions& options) {
  Choice choice(program, machine, settings, options);
  const bool chooses = options.layout == LayoutChoice::automatic && machine.ranks > 1;
  const bool can_be = options.mode == ProgramMode::levels || may_flow(program, machine);
  plan_with_made(program, options.made, [&] {
    try {
      if (chooses && can_be) return choice.with_chosen_layout();
    } catch (const DoesNotFit&) {  // in turn, then
    }
    choice.in_turn();
  });
  return choice.planned();
}

}  // namespace foretile
