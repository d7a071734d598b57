// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/program_planning.hpp"

#include <memory>
#include <utility>

#include "planner/strategies/compare.hpp"
#include "planner/tensor/program_text.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

DistributionChoice choice_of(const ProgramDistribution& distribution) {
  return distribution.owners.empty() ? DistributionChoice::round_robin : DistributionChoice::automatic;
}

}  // namespace

ProgramPlanning::ProgramPlanning(Program program, std::string source, const ProgramSizes& sizes,
                                 Settings settings, ProgramPlanOptions options)
    : program_(std::move(program)),
      source_(std::move(source)),
      sizes_(sizes),
      settings_(std::move(settings)),
      options_(std::move(options)) {}

ProgramPlanning::ProgramPlanning(const ProgramFile& file)
    : ProgramPlanning(parse_program(file.text, file.source + ": program.text"), file.source, file.sizes,
                      file.parameters,
                      {file.mode, choice_of(file.distribution), file.on_demand, simulated_seconds()}) {}

SlicedPlan ProgramPlanning::plan(const Machine& machine) const {
  const auto make = [&](const ProgramSizes& sizes) {
    return std::make_shared<const FusedProgram>(program_, sizes, source_);
  };
  return plan_in_slices(sizes_, make, [&](const FusedProgram& fused) {
    Settings settings = settings_;
    for (const ProgramTerm& term : fused.program().terms) {
      const auto chosen = strategies_.find(term.name);
      if (chosen != strategies_.end()) settings["strategy." + term.name] = chosen->second;
    }
    return choose_plan(fused, machine, settings, options_);
  });
}

void ProgramPlanning::keep_choices(const FusedProgram& program, const ProgramPlan& plan) {
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    const std::string strategy = plan.distribution.strategy_of(term);
    if (!strategy.empty()) strategies_[program.program().terms[term].name] = strategy;
  }
  if (!asks_for_comparison(settings_)) return;
  settings_.erase("strategy");
  options_.distribution = choice_of(plan.distribution);
}

}  // namespace foretile
