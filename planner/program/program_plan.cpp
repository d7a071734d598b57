// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/missing_memory.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/program/open_steps.hpp"
#include "planner/program/program_check.hpp"

namespace foretile {

double ProgramPlan::flops() const {
  double sum = 0;
  for (const PlannedStep& step : steps) sum += step.flops;
  return sum;
}

std::int64_t ProgramPlan::sent_bytes() const {
  std::int64_t sum = 0;
  for (const PlannedStep& step : steps) sum += step.sent_bytes;
  return sum;
}

namespace {

PlannedStep planned_step(const StepPlan& step, std::int64_t result_bytes) {
  PlannedStep planned{.number = step.number,
                      .part = step.part,
                      .parts = step.parts,
                      .terms = step.step.terms,
                      .strategy = {},
                      .sent_bytes = result_bytes};
  if (!step.work) return planned;
  planned.strategy = step.work->plan.strategy;
  planned.gemms = step.work->summary.gemms;
  planned.flops = traits(step.work->contraction).flops;
  planned.sent_bytes += step.work->summary.network_bytes;
  return planned;
}

/// Steps that fit alone may not fit a device one behind the other.
PlannedWork proven(JoinedSteps& joined, const Machine& machine) {
  try {
    PlanSummary summary = verify(joined.plan, joined.contraction);
    return {std::move(joined.contraction), machine, std::move(joined.plan), std::move(summary)};
  } catch (const MissingMemory& error) {
    throw DoesNotFit(error);
  }
}

}  // namespace

ProgramPlan plan_program(const FusedProgram& program, const ProgramDistribution& distribution,
                         const Machine& machine, const Settings& settings, ProgramMode mode) {
  if (mode == ProgramMode::flow && !has_products(program))
    throw input_error("mode", "flow for a program without products of tiles", "a product",
                      "take mode levels");
  const std::vector<StepPlan> steps = plan_steps(program, distribution, machine, settings, mode);
  JoinedSteps joined = join_steps(program, distribution, machine, steps, steps_of_tensors(program, steps));
  const std::vector<std::int64_t> peaks = open_steps(joined, program, distribution, machine, mode);
  std::vector<PlannedStep> planned_steps;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    planned_steps.push_back(planned_step(steps[step], joined.result_bytes[step]));
    planned_steps.back().peak_host_bytes = peaks[step];
  }
  ProgramPlan planned{.mode = mode,
                      .settings = settings,
                      .distribution = distribution,
                      .work = proven(joined, machine),
                      .steps = std::move(planned_steps),
                      .tiles_of_terms = std::move(joined.tiles_of_terms)};
  check_program(program, planned);
  return planned;
}

PlannedWork work_of_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                          const Machine& machine, const std::vector<StepPlan>& steps, ProgramMode mode) {
  JoinedSteps joined = join_steps(program, distribution, machine, steps, steps_of_tensors(program, steps));
  open_steps(joined, program, distribution, machine, mode);
  return proven(joined, machine);
}

std::string program_digest(const ProgramPlan& plan, const FusedProgram& program) {
  const ProgramDistribution& distribution = plan.distribution;
  std::string text = fmt::format("{}\n{}\n{}\n", plan_digest(plan.work.plan),
                                 fmt::join(names_on_demand(program, distribution), " "),
                                 fmt::join(distribution.split_k, " "));
  for (const std::vector<Rank>& owners : distribution.owners) {
    for (const Rank owner : owners) text += fmt::format("{} ", static_cast<int>(owner));
    text += "\n";
  }
  return digest(text);
}

}  // namespace foretile
