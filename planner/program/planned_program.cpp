#include "planner/program/planned_program.hpp"

#include <algorithm>
#include <utility>

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

namespace {

/// With the strategies that the program has, or with others, and owners of blocks by the plans of these,
/// where that takes less.
void choose_strategies_and_owners(FusedProgram& program, const Machine& machine, const Settings& settings,
                                  const LevelSeconds& seconds) {
  const auto seconds_of = [&](const std::vector<LevelPlan>& plans) {
    double sum = 0;
    for (const LevelPlan& plan : plans) sum += seconds(plan, machine);
    return sum;
  };
  choose_strategies(program, machine, settings, seconds);
  const ProgramLayout before = program.layout();
  const std::vector<LevelPlan> plans = plan_program(program, machine, settings);
  if (before.owners.empty()) return;
  ProgramLayout after = before;
  after.owners = choose_owners(program, machine, plans);
  program.lay_out(std::move(after));
  try {
    if (seconds_of(plan_program(program, machine, settings)) < seconds_of(plans)) return;
  } catch (const DoesNotFit&) {  // it did before
  }
  program.lay_out(before);
}

}  // namespace

void choose_layout(FusedProgram& program, const Machine& machine, const Settings& settings,
                   ProgramMode mode) {
  ProgramLayout layout{
      {}, choose_sum_pieces(program, machine, settings_for_terms(settings)), program.layout().strategies};
  program.lay_out(layout);
  const std::vector<LevelPlan> plans = mode == ProgramMode::flow
                                           ? plan_steps(program, machine, settings, kStepsAtOnce)
                                           : plan_program(program, machine, settings);
  layout.owners = choose_owners(program, machine, plans);
  program.lay_out(std::move(layout));
}

PlannedProgram plan_program_as(FusedProgram& program, const Machine& machine, const Settings& given,
                               const ProgramPlanOptions& options) {
  Settings settings = given;
  const ProgramLayout in_turn{{}, {}, take_named_strategies(program, settings)};
  const bool by_term = options.mode == ProgramMode::levels && asks_for_comparison(settings);
  if (by_term) settings.erase("strategy");
  const LevelSeconds seconds = options.seconds ? options.seconds : least_seconds;
  PlannedProgram planned;
  const auto plan = [&] {
    if (options.mode == ProgramMode::flow) {
      planned.flow.emplace(plan_flow(program, machine, settings));
    } else {
      planned.levels = plan_program(program, machine, settings);
    }
  };
  const bool chooses = options.layout == LayoutChoice::automatic && machine.ranks > 1;
  const bool can_be = options.mode == ProgramMode::levels || may_flow(program, machine);
  plan_with_made(program, options.made, [&] {
    try {
      if (chooses && can_be) {
        program.lay_out(in_turn);
        choose_layout(program, machine, settings, options.mode);
        if (by_term) choose_strategies_and_owners(program, machine, settings, seconds);
        return plan();
      }
    } catch (const DoesNotFit&) {  // in turn, then
    }
    program.lay_out(in_turn);
    if (by_term) choose_strategies(program, machine, settings, seconds);
    plan();
  });
  return planned;
}

}  // namespace foretile
