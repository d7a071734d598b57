// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_arguments.hpp"

#include <fmt/format.h>

#include "apps/foretile-run/work_to_run.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/program/program_file.hpp"

namespace foretile {

namespace {

bool is_stored(RunKind kind) {
  return kind == RunKind::plan || kind == RunKind::program_plan;
}

bool is_of_program(RunKind kind) {
  return kind == RunKind::program || kind == RunKind::program_plan;
}

std::string text_of_kind(RunKind kind, const std::string& what) {
  switch (kind) {
    case RunKind::plan:
      return fmt::format("the plan of a problem, {}", quote(what));
    case RunKind::problem:
      return fmt::format("the problem {}", quote(what));
    case RunKind::program_plan:
      return fmt::format("the plan of a program, {}", quote(what));
    default:
      return fmt::format("the program {}", quote(what));
  }
}

GivenOptions planning_options(const RunArguments& of) {
  GivenOptions given = of.options.given_settings();
  given.insert(given.begin(), {"--platform", !of.platform.empty()});
  return given;
}

GivenOptions planning_options_of_programs(const RunArguments& of) {
  GivenOptions given = of.program.given();
  given.insert(given.begin(), {{"--o", of.sizes.occupied > 0},
                               {"--v", of.sizes.virtuals > 0},
                               {"--tile", of.sizes.tile > 0},
                               {"--vectors", of.sizes.vectors > 0},
                               {"--vector-tile", of.sizes.vector_tile > 0},
                               {"--slices", of.sizes.slices > 0}});
  return given;
}

GivenOptions numbers_of_programs(const RunArguments& of) {
  return {{"--input", !of.input.empty()}, {"--seed", of.seed.has_value()}};
}

GivenOptions options_of_problems(const RunArguments& of) {
  return {{"--checkpoint", !of.checkpoint.empty()},
          {"--assignment", !of.assignment.empty()},
          {"--assignment-out", !of.assignment_out.empty()},
          {"--check-finite", of.check_finite},
          {"--trace", !of.trace.empty()},
          {"--report", !of.report.empty()},
          {"--copies", of.copies},
          {"--plan-order", of.plan_order},
          {"--no-bind", of.no_bind}};
}

}  // namespace

RunKind kind_of(const std::string& what) {
  if (what.ends_with(".json")) return is_program_plan(what) ? RunKind::program_plan : RunKind::plan;
  return what.ends_with(".txt") ? RunKind::program : RunKind::problem;
}

void refuse_other_options(RunKind kind, const RunArguments& arguments) {
  const std::string found = text_of_kind(kind, arguments.what);
  if (is_of_program(kind)) {
    refuse_options(options_of_problems(arguments), found, "a problem, or its plan");
  } else {
    refuse_options(planning_options_of_programs(arguments), found, "a program, PROGRAM.txt");
    refuse_options(numbers_of_programs(arguments), found, "a program, or its plan",
                   "the problem says where A and B come from");
  }
  if (!is_stored(kind)) return;
  refuse_beside_plan(planning_options(arguments), arguments.what);
  refuse_beside_plan(planning_options_of_programs(arguments), arguments.what);
}

StartFacts start_facts(const CLI::App& app, RunKind kind, const RunArguments& arguments) {
  StartFacts facts = command_line_facts(app);
  if (kind == RunKind::problem) {
    facts["problem digest"] = digest(problem_to_run(arguments.what).toml);
  } else {
    facts[kind == RunKind::program ? "program digest" : "plan digest"] = digest(read_text(arguments.what));
  }
  if (!arguments.assignment.empty()) facts["assignment digest"] = digest(read_text(arguments.assignment));
  return facts;
}

void require_ranks(const StoredMachine& file, int ranks) {
  if (ranks == file.ranks) return;
  throw input_error(
      file.source, fmt::format("a plan for {} ranks", file.ranks),
      fmt::format("one for the {} of this job", ranks),
      fmt::format("start with mpiexec -n {} or plan with --ranks {}{}", file.ranks, ranks,
                  ranks == 1 ? "; each process that another MPI's launcher starts is alone" : ""),
      HelpPage::ranks);
}

}  // namespace foretile
