// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_page.hpp"

#include <ostream>
#include <utility>

#include "base/atomic_file.hpp"
#include "planner/bound/bound.hpp"
#include "report/page.hpp"
#include "report/timeline.hpp"
#include "report/work.hpp"
#include "scheduler/report/report_json.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

Json measured_work(const RunPage& page, const FinishedRun& done, const Bounds& bounds, Sections& sections) {
  Timeline timeline(done.result.wall_s);
  for (const TraceEvent& event : page.events) timeline.record(event);
  timeline.finish();
  Report report = page.summary.report;
  report.bounds = bounds;
  Json json = page.summary.json;
  add_bounds(json, bounds);
  return work_json(
      {done.file.problem.name, "measured", done.work->contraction.name, done.plan_with_pool, std::move(json)},
      report, done.work->machine, timeline, sections);
}

Json simulated_work(const FinishedRun& done, const Bounds& bounds, Sections& sections) {
  const PlannedWork& work = done.now();
  Timeline timeline(done.result.wall_s);
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  options.trace = &timeline;
  const SimulationResult result = simulate(work.plan, work.contraction, work.machine, options);
  timeline.finish();
  Report report = make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s);
  add_plan(report, work.contraction, work.machine, work.plan);
  report.bounds = bounds;
  Json json = report_json(report);
  json["peak_host_bytes"] = work.summary.peak_host_bytes;
  return work_json(
      {done.file.problem.name, "simulated", work.contraction.name, done.plan_with_pool, std::move(json)},
      report, work.machine, timeline, sections);
}

}  // namespace

void write_run_page(const RunPage& page, const FinishedRun& done) {
  const PlannedWork& work = done.now();
  const Bounds bounds = bounds_of(work.plan, work.contraction, work.machine);
  Sections sections;
  Json works = Json::array();
  works.push_back(simulated_work(done, bounds, sections));
  works.push_back(measured_work(page, done, bounds, sections));
  const Json facts = page_facts("foretile-run " FORETILE_VERSION, page.command, std::move(works));
  write_atomically(page.path, [&](std::ostream& out) { write_page(out, facts, sections); });
}

}  // namespace foretile
