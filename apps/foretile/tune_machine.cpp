// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/tune_space.hpp"
#include "apps/foretile/what_fits.hpp"
#include "apps/program.hpp"
#include "apps/program_options.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "platforms/units.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/report.hpp"

namespace foretile {

namespace {

TuneCase make_case(const Case& the_case, const TuneArguments& arguments,
                   const std::vector<std::string>& problems, const MachineSize& size) {
  TuneCase made;
  made.first_problem = arguments.problem;
  made.problems[arguments.problem] = the_case.problem;
  for (const std::string& name : problems) {
    if (!made.problems.contains(name))
      made.problems[name] = retile(load_problem(name), arguments.options.tiling());
  }
  made.platform = the_case.platform;
  made.size = size;
  made.fixed = arguments.options.settings();
  made.engine = searching_engine(arguments.engine);
  made.goal = goal_of(arguments.goal, "--goal");
  return made;
}

/// A history holds only for runs that ask the same.
nlohmann::json identity(const TuneCase& tune_case, const Space& space) {
  std::string problems;
  for (const auto& [name, problem] : tune_case.problems) problems += name + '\n' + problem.toml + '\n';
  const auto& [nodes, ranks, gpus] = tune_case.size;
  nlohmann::json all{{"foretile", FORETILE_VERSION},
                     {"problem", digest(problems)},
                     {"platform", digest(tune_case.platform.toml)},
                     {"machine", fmt::format("nodes {} ranks {} gpus {}", nodes.value_or(0),
                                             ranks.value_or(0), gpus.value_or(0))},
                     {"fixed", nlohmann::json(tune_case.fixed).dump()},
                     {"engine", std::string(name_of(tune_case.engine))},
                     {"space", digest(space.text())}};
  if (tune_case.goal == Goal::energy) all["goal"] = "energy";
  return all;
}

TuneResult run(const TuneOptions& options, const Candidates& candidates, ProgressLine& line) {
  const CostModel cost{
      .evaluate = [&](const Candidate& candidate) { return candidates.simulate(candidate); },
      .bound = [&](const Candidate& candidate) { return candidates.bound(candidate); },
      .first_bound = [&](const Candidate& candidate) { return candidates.first_bound(candidate); },
      .decides_first_bound = Candidates::decides_first_bound,
      .look = [&](const Candidate& candidate) { return candidates.look(candidate); },
      .evaluate_until = [&](const Candidate& candidate,
                            double stop_s) { return candidates.simulate(candidate, stop_s); },
      .evaluate_coarsely =
          [&](const Candidate& candidate) { return candidates.simulate_coarsely(candidate); }};
  return tune(options, cost, [&](const TuneProgress& progress) { line.show(progress_text(progress)); });
}

/// Of the whole command, from now on.
TimeBudget budget_of(const TuneArguments& arguments) {
  if (arguments.budget.empty()) return TimeBudget();
  const double seconds = parse_duration(arguments.budget, "--budget");
  if (!(seconds > 0))
    throw input_error("--budget", quote(arguments.budget), "more than 0 s", "give the search time: 60s");
  return TimeBudget(seconds);
}

/// Says which, if any.
std::vector<Parameter> finer_tilings_of(const Case& the_case, const MachineSize& size,
                                        const TimeBudget& budget) {
  constexpr double kMostSeconds = 10;
  Case of_size = the_case;
  of_size.size = size;
  std::vector<Parameter> tilings =
      tilings_to_try(of_size, TimeBudget(std::min(kMostSeconds, budget.share(1, 4))));
  std::string text;
  for (const Parameter& tiling : tilings)
    text += fmt::format(" {}={}", tiling.name, fmt::join(tiling.values, ","));
  if (!text.empty())
    print_message("foretile",
                  fmt::format("note: the problem's tiles do not fit; finer ones are tried:{}", text));
  return tilings;
}

}  // namespace

void require_joules(Goal goal, const Platform& platform) {
  if (goal != Goal::energy || platform.power.known()) return;
  throw input_error(fmt::format("{}: platform.power.node_idle", platform.source), "nothing",
                    "the watts of an idle node, as --goal energy needs them",
                    "add [power] to the platform file, or take another --goal");
}

TuneOptions tune_options(const TuneArguments& arguments) {
  constexpr double kShareLate = 0.1, kSecondsLate = 4;  // then what was found is printed
  TuneOptions options = arguments.tune;
  options.goal = goal_of(arguments.goal, "--goal");
  options.history = arguments.history;
  options.budget = budget_of(arguments);
  options.latest = options.budget.extended(kShareLate, kSecondsLate);
  if (!arguments.evaluation_limit.empty())
    options.limits.evaluation_s = parse_duration(arguments.evaluation_limit, "--evaluation-limit");
  return options;
}

Tuning tune_machine(const TuneArguments& arguments, const Case& the_case, const MachineSize& size,
                    TuneOptions options, const std::vector<Candidate>& known, ProgressLine& line) {
  SpaceQuestion question{arguments.space, arguments.problems, arguments.options.settings(),
                         arguments.options.platform_settings()};
  question.fixed_tiling = arguments.options.tiling();
  const TuneCase tune_case = make_case(the_case, arguments, candidate_problems(question), size);
  Tuning tuning{size, std::make_unique<Candidates>(tune_case), {}, {}};
  tuning.tie = arguments.tie.value_or(tie_of(the_case.platform.calibration.error));
  question.sources = tuning.candidates->sources();
  question.loaded = tune_case.problems;
  if (arguments.space.empty() && arguments.problems.size() == 1)
    question.finer_tilings = finer_tilings_of(the_case, size, options.budget);
  options.space = tune_space(question, make_machine(the_case.platform, size));
  options.first = default_candidates(options.space, question, the_case.platform);
  tuning.starts = starts_from(arguments.elsewhere, options.space, options.first);
  options.starts = other_strategies_defaults(options.space, question, the_case.platform);
  options.starts.insert(options.starts.end(), known.begin(), known.end());
  options.starts.insert(options.starts.end(), tuning.starts.candidates.begin(),
                        tuning.starts.candidates.end());
  options.identity = identity(tune_case, options.space);
  tuning.result = run(options, *tuning.candidates, line);
  return tuning;
}

void add_tuned_program_options(CLI::App& command, TuneProgramArguments& program) {
  add_extent_options(command, program.sizes);
  command
      .add_option(
          "--tile", program.tiles,
          "Of a program: largest extent of a tile. Repeatable, all are tried. Default: up to four sizes of "
          "at most 100")
      ->check(CLI::Range(std::int64_t{1}, kMostExtent))
      ->allow_extra_args(false)
      ->type_name("N");
  add_program_options(command, program, "both are tried");
}

void add_limit_options(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("--budget", arguments.budget,
                  "Time of the whole command, such as 60s, 10m or 1h30m. Default: no limit")
      ->check(not_empty_check())
      ->type_name("TIME");
  command
      .add_option(
          "--count", arguments.tune.budget_count,
          "Number of evaluations, those in the history included; `--search bound` does not count what "
          "does not fit. Default: no limit")
      ->check(whole_number_check());
  command
      .add_option("--evaluation-limit", arguments.evaluation_limit,
                  "Time of one evaluation; a longer one has failed. Default: 10m")
      ->check(not_empty_check())
      ->type_name("TIME");
  command
      .add_option("--workers", arguments.tune.limits.workers,
                  "Evaluations at a time, each in a process of its own. Default: one per core")
      ->check(whole_number_check());
}

}  // namespace foretile
