// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/reported_work.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/foretile/coarse.hpp"
#include "apps/foretile/plan_view.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/strategies/strategy.hpp"
#include "report/answer.hpp"
#include "report/timeline.hpp"
#include "report/timeline_facts.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

/// Plans with more products are simulated coarsely: their operations would make a page of more than 50 MB.
constexpr std::int64_t kMostProducts = 4'000'000;

struct Simulated {
  Report report;
  Timeline timeline;
  bool coarse = false;
};

Simulated simulated(const PlannedWork& work, ProgressLine& line) {
  const Bounds bounds = bounds_of(work.plan, work.contraction, work.machine,
                                  line.stage("bound of the time", work.summary.gemms));
  Simulated result{{}, Timeline(bounds.plan.seconds), work.summary.gemms > kMostProducts};
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

Json answers_json(const Report& report) {
  Json list = Json::array();
  for (const Answer& answer : answers_of(report))
    list.push_back({{"rule", answer.rule}, {"text", answer.text}});
  return list;
}

std::vector<TimeMark> marks_of(const Bounds& bounds) {
  return {{"bound of any plan", bounds.problem.seconds}, {"bound of this plan", bounds.plan.seconds}};
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

/// What all works have.
struct Facts {
  std::string problem, digest;
  const Machine& machine;
  const Report& report;
};

Json work_json(const CaseArguments& arguments, const Facts& facts, Json report, TimelineFacts timeline) {
  return {{"name", name_of(arguments)},
          {"source", "simulated"},
          {"problem", facts.problem},
          {"platform", facts.machine.platform.name},
          {"strategy", facts.report.plan},
          {"digest", facts.digest},
          {"nodes", facts.machine.nodes()},
          {"ranks", facts.machine.ranks},
          {"devices", facts.machine.devices()},
          {"report", std::move(report)},
          {"answer", answers_json(facts.report)},
          {"timeline", std::move(timeline.timeline)},
          {"curves", std::move(timeline.curves)}};
}

Json reported_program(const CaseArguments& arguments, const ProgramArguments& of, Sections& sections,
                      ProgressLine& line) {
  std::optional<Timeline> timeline;
  TracedProgram traced = trace_program_case(
      arguments, of, [&](double expected_s) -> TraceSink& { return timeline.emplace(expected_s); }, line);
  timeline->finish();
  TimelineFacts facts = timeline_facts(*timeline, traced.machine, marks_of(*traced.report.bounds), sections);
  return work_json(arguments, {name_of(arguments), traced.digest, traced.machine, traced.report},
                   std::move(traced.json), std::move(facts));
}

}  // namespace

Json reported_work(const CaseArguments& arguments, const ProgramArguments& of, Sections& sections,
                   ProgressLine& line) {
  if (is_program(arguments.problem)) return reported_program(arguments, of, sections, line);
  const Case the_case = load_case(arguments);
  const PlannedWork work = plan_case(the_case, line);
  const Simulated simulation = simulated(work, line);
  TimelineFacts facts =
      timeline_facts(simulation.timeline, work.machine, marks_of(*simulation.report.bounds), sections);
  return work_json(arguments,
                   {work.contraction.name, plan_digest(work.plan), work.machine, simulation.report},
                   report_of(work, simulation), std::move(facts));
}

}  // namespace foretile
