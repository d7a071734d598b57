// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/estimate.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

void expect_same(const PlanFile& file, const char* key, std::int64_t stored, std::int64_t rebuilt) {
  if (stored == rebuilt) return;
  throw input_error(fmt::format("{}: {}", file.source, key), fmt::format("{}", stored),
                    fmt::format("{}, as the rebuilt plan has", rebuilt),
                    "another version of foretile made this file; plan again");
}

/// Verification takes about twice as long as planning.
constexpr std::int64_t kVerifiesFrom = kPlanningSteps / 3;

/// Tells `done` of `all` as planning's steps from `first` to `last`.
CountFunction steps(const CountFunction& progress, std::int64_t first, std::int64_t last, std::int64_t all) {
  if (!progress || all <= 0) return {};
  return [&progress, first, last, all](std::int64_t done) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    progress(first + static_cast<std::int64_t>(share * static_cast<double>(last - first)));
  };
}

}  // namespace

PlannedWork plan_work(Contraction contraction, Machine machine, const Settings& settings,
                      const CountFunction& progress, const WorkSeconds& work_seconds,
                      const PlanContext& context) {
  std::vector<ComparedStrategy> compared;
  if (asks_for_comparison(settings)) {
    PlanSeconds plan_seconds;
    if (work_seconds)
      plan_seconds = [&](const Plan& plan, double stop_s) {
        return work_seconds(plan, contraction, machine, stop_s);
      };
    compared = compare_strategies(contraction, machine, settings, plan_seconds, context);
  }
  Plan plan = make_plan(contraction, machine,
                        compared.empty() ? settings : fastest_settings(compared, contraction, settings),
                        steps(progress, 0, kVerifiesFrom, machine.ranks), context);
  const PlanSummary summary =
      verify(plan, contraction,
             steps(progress, kVerifiesFrom, kPlanningSteps, product_bound(contraction.a, contraction.b)));
  return {std::move(contraction), std::move(machine), std::move(plan), summary, std::move(compared)};
}

PlanFile make_plan_file(const Problem& problem, const MachineSize& size, const PlannedWork& work) {
  PlanFile file;
  file.problem = problem;
  file.platform_name = work.machine.platform.name;
  file.platform_toml = work.machine.platform.toml;
  file.size = size;
  file.ranks = work.machine.ranks;
  file.ranks_per_node = work.machine.ranks_per_node;
  file.devices_per_rank = work.machine.devices_per_rank;
  file.gemms = work.summary.gemms;
  file.blocks = work.summary.blocks;
  file.chunks = work.summary.chunks;
  file.parameters = work.plan.parameters;
  file.parameters["strategy"] = work.plan.strategy;
  return file;
}

PlanFile load_plan_file(const std::filesystem::path& path) {
  return parse_plan_file(read_text(path), path.string());
}

PlanFile parse_plan_file(const std::string& json, const std::string& source) {
  PlanFile file = plan_file_from_json(json, source);
  file.source = source;
  file.problem.source = source + ": problem.toml";
  return file;
}

void save_plan_file(const std::filesystem::path& path, const PlanFile& file) {
  write_atomically(path, [&](std::ostream& out) { out << plan_file_json(file) << '\n'; });
}

Contraction stored_contraction(const PlanFile& file) {
  return build_contraction(file.problem);
}

Platform stored_platform(const PlanFile& file) {
  return parse_platform(file.platform_toml, file.source + ": platform.toml");
}

Machine stored_machine(const PlanFile& file) {
  Machine machine = make_machine(stored_platform(file), file.size);
  expect_same(file, "machine.ranks", file.ranks, machine.ranks);
  expect_same(file, "machine.ranks_per_node", file.ranks_per_node, machine.ranks_per_node);
  expect_same(file, "machine.devices_per_rank", file.devices_per_rank, machine.devices_per_rank);
  return machine;
}

PlannedWork rebuild(const PlanFile& file, const CountFunction& progress) {
  PlannedWork work = [&] {
    try {
      return plan_work(stored_contraction(file), stored_machine(file), file.parameters, progress);
    } catch (const InputError& e) {
      const std::string what = e.what();
      throw InputError(what.starts_with(file.source) ? what : file.source + ": " + what);
    }
  }();
  expect_same(file, "summary.gemms", file.gemms, work.summary.gemms);
  expect_same(file, "summary.blocks", file.blocks, work.summary.blocks);
  expect_same(file, "summary.chunks", file.chunks, work.summary.chunks);
  return work;
}

}  // namespace foretile
