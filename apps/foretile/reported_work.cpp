// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/reported_work.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "apps/foretile/coarse.hpp"
#include "apps/foretile/plan_view.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan_digest.hpp"
#include "report/timeline.hpp"
#include "report/work.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

/// Plans with more products and messages are simulated coarsely: a page of them would have more than 25 MB.
constexpr std::int64_t kMostOperations = 5'000'000;

struct Simulated {
  Report report;
  Timeline timeline;
  bool coarse = false;
};

Simulated simulated(const PlannedWork& work, ProgressLine& line) {
  const Bounds bounds = bounds_of(work.plan, work.contraction, work.machine,
                                  line.stage("bound of the time", work.summary.gemms));
  Simulated result{{}, Timeline(bounds.plan.seconds), operations_of(work) > kMostOperations};
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  options.trace = &result.timeline;
  if (result.coarse) options.groups = coarse_groups(work);
  std::optional<ProgressSink> progress;
  if (CountFunction show = line.stage_from_first_count("simulate", work.summary.gemms))
    options.trace = &progress.emplace(std::move(show), kOperationsPerLook, options.trace);
  const SimulationResult simulation = simulate(work.plan, work.contraction, work.machine, options);
  result.timeline.finish();
  result.report = make_report(simulation.ranks, work.machine, work.plan.grid, simulation.makespan_s);
  add_plan(result.report, work.contraction, work.machine, work.plan);
  result.report.bounds = bounds;
  result.report.energy = energy_of(simulation.ranks, work.machine, work.plan, simulation.makespan_s);
  result.report.decision = work.decision;
  return result;
}

Json report_of(const PlannedWork& work, const Simulated& simulation) {
  Json json = report_json(simulation.report);
  json["peak_host_bytes"] = work.summary.peak_host_bytes;
  json["memory_ratio"] = memory_ratio(work);
  json["coarse"] = simulation.coarse;
  return json;
}

std::string name_of(const CaseArguments& arguments) {
  return std::filesystem::path(arguments.problem).filename().string();
}

Json reported_program(const CaseArguments& arguments, const ProgramArguments& of, Sections& sections,
                      ProgressLine& line) {
  std::optional<Timeline> timeline;
  TracedProgram traced = trace_program_case(
      arguments, of, [&](double expected_s) -> TraceSink& { return timeline.emplace(expected_s); }, line);
  timeline->finish();
  const std::string name = name_of(arguments);
  return work_json({name, "simulated", name, traced.digest, std::move(traced.json)}, traced.report,
                   traced.machine, *timeline, sections);
}

}  // namespace

Json reported_work(const CaseArguments& arguments, const ProgramArguments& of, Sections& sections,
                   ProgressLine& line) {
  if (is_program(arguments.problem)) return reported_program(arguments, of, sections, line);
  const Case the_case = load_case(arguments);
  const PlannedWork work = plan_case(the_case, line);
  const Simulated simulation = simulated(work, line);
  return work_json({name_of(arguments), "simulated", work.contraction.name, plan_digest(work.plan),
                    report_of(work, simulation)},
                   simulation.report, work.machine, simulation.timeline, sections);
}

}  // namespace foretile
