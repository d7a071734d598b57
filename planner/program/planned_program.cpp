#include "planner/program/planned_program.hpp"

#include <algorithm>
#include <utility>

#include "planner/program/block_owners.hpp"
#include "planner/program/made_tensors.hpp"
#include "planner/program/sum_pieces.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

std::int64_t PlannedProgram::peak_host_bytes() const {
  std::int64_t peak = flow ? flow->peak_host_bytes : 0;
  for (const LevelPlan& level : levels) peak = std::max(peak, level.peak_host_bytes());
  return peak;
}

void choose_layout(FusedProgram& program, const Machine& machine, const Settings& settings,
                   ProgramMode mode) {
  ProgramLayout layout{{}, choose_sum_pieces(program, machine, settings_for_terms(settings))};
  program.lay_out(layout);
  const std::vector<LevelPlan> plans = mode == ProgramMode::flow
                                           ? plan_steps(program, machine, settings, kStepsAtOnce)
                                           : plan_program(program, machine, settings);
  layout.owners = choose_owners(program, machine, plans);
  program.lay_out(std::move(layout));
}

PlannedProgram plan_program_as(FusedProgram& program, const Machine& machine, const Settings& settings,
                               const ProgramPlanOptions& options) {
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
        choose_layout(program, machine, settings, options.mode);
        return plan();
      }
    } catch (const DoesNotFit&) {  // in turn, then
    }
    program.lay_out({});
    plan();
  });
  return planned;
}

}  // namespace foretile
