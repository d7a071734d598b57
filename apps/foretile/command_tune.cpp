// SPDX-License-Identifier: BSD-3-Clause
// foretile tune PROBLEM: simulates choices of tiling, grid and memory split and keeps the fastest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/tune_conclusion.hpp"
#include "apps/foretile/tune_program.hpp"
#include "apps/foretile/tune_space.hpp"
#include "apps/foretile/what_fits.hpp"
#include "apps/program.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "platforms/units.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/history.hpp"
#include "tuner/report.hpp"
#include "tuner/search.hpp"
#include "tuner/starts.hpp"

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
  return made;
}

/// A history holds only for runs that ask the same.
nlohmann::json identity(const TuneCase& tune_case, const Space& space) {
  std::string problems;
  for (const auto& [name, problem] : tune_case.problems) problems += name + '\n' + problem.toml + '\n';
  const auto& [nodes, ranks, gpus] = tune_case.size;
  return {{"foretile", FORETILE_VERSION},
          {"problem", digest(problems)},
          {"platform", digest(tune_case.platform.toml)},
          {"machine",
           fmt::format("nodes {} ranks {} gpus {}", nodes.value_or(0), ranks.value_or(0), gpus.value_or(0))},
          {"fixed", nlohmann::json(tune_case.fixed).dump()},
          {"engine", std::string(name_of(tune_case.engine))},
          {"space", digest(space.text())}};
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

TuneOptions tune_options(const TuneArguments& arguments) {
  constexpr double kShareLate = 0.1, kSecondsLate = 4;  // then what was found is printed
  TuneOptions options = arguments.tune;
  options.history = arguments.history;
  options.budget = budget_of(arguments);
  options.latest = options.budget.extended(kShareLate, kSecondsLate);
  if (!arguments.evaluation_limit.empty())
    options.limits.evaluation_s = parse_duration(arguments.evaluation_limit, "--evaluation-limit");
  return options;
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

/// `known`: candidates that were good on other numbers of nodes.
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

NodesTuning tune_over_nodes(const TuneArguments& arguments, const Case& the_case, const NodeRange& range,
                            const TuneOptions& options, Goal goal, ProgressLine& line) {
  const std::vector<int> order = visiting_order(range);
  NodesTuning all;
  all.asked = order.size();
  std::vector<Candidate> known;
  for (std::size_t i = 0; i < order.size(); ++i) {
    TuneOptions own = options;
    own.budget = options.budget.part(1, static_cast<double>(order.size() - i));
    if (best_of(all.results, goal)) own.latest = options.budget.part(1, 1);
    if (i > 0 && own.latest.over()) {
      all.end = TuneEnd::time;
      break;
    }
    Tuning tuning =
        tune_machine(arguments, the_case, {.nodes = order[i], .ranks = {}, .gpus = {}}, own, known, line);
    all.results.push_back(nodes_result(order[i], tuning.result, tuning.tie));
    if (tuning.result.best()) known = {tuning.result.best()->candidate};
    all.end = tuning.result.end;
    all.signal = tuning.result.signal;
    const NodesResult* const best = best_of(all.results, goal);
    if (i == 0 || best == &all.results.back()) all.chosen = std::move(tuning);
    if (all.end == TuneEnd::interrupt) break;
  }
  return all;
}

void check_range(const TuneArguments& arguments, const Case& the_case, const NodeRange& range) {
  MachineSize largest = arguments.size;
  largest.nodes = range.last;
  make_machine(the_case.platform, largest);
  if (!arguments.history.empty())
    throw input_error("--history", "a range of nodes", "one number of nodes", "leave --history out");
  if (arguments.tune.effects)
    throw input_error("--effects", "a range of nodes", "one number of nodes", "leave --effects out");
}

/// Sizes are of programs alone, and most options are of problems alone.
void check_program(const TuneArguments& arguments) {
  const TuneProgramArguments& of = arguments.program;
  const std::string& problem = arguments.problem;
  check_program_options(problem, {of.occupied, of.virtuals, of.tiles.empty() ? 0 : of.tiles.front()}, of);
  if (!is_program_file(problem)) return;
  if (arguments.problems.size() > 1)
    throw input_error("problem", quote(arguments.problems[1]), "one program", "tune one at a time");
  refuse_for_programs(problem, {{"--ranks", arguments.size.ranks.has_value()},
                                {"--gpus", arguments.size.gpus.has_value()},
                                {"--engine", arguments.engine == EngineChoice::simgrid},
                                {"--space", !arguments.space.empty()},
                                {"--search", arguments.tune.search != kBoundSearch},
                                {"--start-from", !arguments.start_from.empty()},
                                {"--effects", arguments.tune.effects}});
  require_different("--output", arguments.output, "the program", problem);
  require_different("--output", arguments.output, "--platform", arguments.platform);
  if (!arguments.output.empty()) require_writable(arguments.output);
}

/// Of a program, unless the user says: planning and simulating one may take hours.
constexpr double kMostTrialSeconds = 86400;

void tune_problem(TuneArguments& arguments) {
  arguments.problem = arguments.problems.front();
  check_program(arguments);
  require_different("--output", arguments.output, "--history", arguments.history);
  TuneOptions options = tune_options(arguments);
  const Goal goal = goal_of(arguments.goal, "--goal");
  if (is_program_file(arguments.problem)) {
    if (arguments.evaluation_limit.empty()) options.limits.evaluation_s = kMostTrialSeconds;
    return tune_program_case(arguments, std::move(options), goal);
  }
  NodeRange range;
  if (!arguments.nodes.empty()) {
    range = node_range(arguments.nodes, "--nodes");
    arguments.size.nodes = range.first;
  }
  if (!arguments.start_from.empty())
    arguments.elsewhere = with_present_keys(read_history(arguments.start_from));
  ProgressLine line;
  if (!arguments.problem.ends_with(".json"))
    require_different("--output", arguments.output, "the problem", arguments.problem);
  if (!arguments.output.empty()) require_writable(arguments.output);
  const Case the_case = load_case(arguments);
  if (!range.several()) {
    conclude(arguments, the_case, tune_machine(arguments, the_case, the_case.size, options, {}, line),
             options.latest, line, nullptr);
    return;
  }
  check_range(arguments, the_case, range);
  const NodesTuning over_nodes = tune_over_nodes(arguments, the_case, range, options, goal, line);
  conclude(arguments, the_case, over_nodes.chosen, options.latest, line, &over_nodes);
}

void add_search_options(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("--space", arguments.space,
                  "The search space. Default: one around the paper's values, which is printed")
      ->check(not_empty_check())
      ->type_name("FILE.toml");
  command
      .add_option("--search", arguments.tune.search,
                  "bound (by increasing lower bounds, until nothing can be better), exhaustive (all in "
                  "order) or random (all in random order)")
      ->type_name("{bound,exhaustive,random}")
      ->capture_default_str();
  command.add_option("--seed", arguments.tune.seed, "Seed of the random order, also among equal bounds")
      ->check(whole_number_check())
      ->capture_default_str();
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
  command
      .add_option("--history", arguments.history,
                  "Keep each evaluation in this file; a run that was killed resumes from it. Of problems: "
                  "with one number of nodes only")
      ->check(not_empty_check())
      ->type_name("FILE");
  command
      .add_option("--start-from", arguments.start_from,
                  "Try first, after the defaults, what was best in this --history of another machine, "
                  "problem or space")
      ->check(not_empty_check())
      ->type_name("FILE");
  command
      .add_option("--tie", arguments.tie,
                  "Predicted times that differ by less than this share are equal. Default: 0.05, or the "
                  "platform's calibration.error if larger")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  command.add_flag(
      "--effects", arguments.tune.effects,
      "After a complete search, simulate in full all that differs from the best in one parameter");
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tune", "Search for the parameters with the shortest simulation");
  const auto arguments = std::make_shared<TuneArguments>();
  arguments->tune.search = kBoundSearch;
  command
      ->add_option(
          "problem", arguments->problems,
          "Problem files or examples, among which the tuner chooses; or a plan file (.json), or a program "
          "(.txt)")
      ->required();
  add_machine_options(*command, *arguments, &arguments->nodes);
  add_engine_option(*command, arguments->engine,
                    "fluid searches, and simgrid simulates the plan taken, too, where it can");
  command
      ->add_option("--goal", arguments->goal,
                   "Of a range of nodes: the plan taken has the shortest time or the fewest node-hours")
      ->type_name("{time,node-hours}")
      ->capture_default_str();
  add_search_options(*command, *arguments);
  const auto size = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000});
  TuneProgramArguments& program = arguments->program;
  command->add_option("--o", program.occupied, "Of a program: number of occupied orbitals of each spin")
      ->check(size)
      ->type_name("N");
  command->add_option("--v", program.virtuals, "Of a program: number of virtual orbitals of each spin")
      ->check(size)
      ->type_name("N");
  command
      ->add_option(
          "--tile", program.tiles,
          "Of a program: largest extent of a tile. Repeatable, all are tried. Default: up to four sizes of "
          "at most 100")
      ->check(size)
      ->allow_extra_args(false)
      ->type_name("N");
  add_program_options(*command, program, "both are tried");
  command->add_option("-o,--output", arguments->output, "Store the plan taken in this file")
      ->check(not_empty_check())
      ->type_name("FILE.json");
  command->callback([arguments] { tune_problem(*arguments); });
}

}  // namespace foretile
