// SPDX-License-Identifier: BSD-3-Clause
// foretile tune PROBLEM: simulates choices of tiling, grid and memory split and keeps the fastest.
#include <memory>
#include <utility>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/tune_conclusion.hpp"
#include "apps/foretile/tune_machine.hpp"
#include "apps/foretile/tune_program.hpp"
#include "apps/foretile/tune_space.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/history.hpp"
#include "tuner/report.hpp"
#include "tuner/search.hpp"
#include "tuner/starts.hpp"

namespace foretile {

namespace {

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
  check_program_options(problem, of.sizes_with(of.tiles.empty() ? 0 : of.tiles.front()), of);
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
  arguments.program.molecule =
      take_molecule(arguments.program.molecule_arguments, arguments.problem, arguments.program.sizes,
                    {{"--output", arguments.output}, {"--history", arguments.history}});
  check_program(arguments);
  require_different("--output", arguments.output, "--history", arguments.history);
  const Goal goal = goal_of(arguments.goal, "--goal");
  TuneOptions options = tune_options(arguments);
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
  require_joules(goal, the_case.platform);
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
  add_limit_options(command, arguments);
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
          "(.txt, or ccsd)")
      ->required();
  add_machine_options(*command, *arguments, &arguments->nodes);
  add_engine_option(*command, arguments->engine,
                    "fluid searches, and simgrid simulates the plan taken, too, where it can");
  command
      ->add_option(
          "--goal", arguments->goal,
          "The plan taken has the shortest time or, of a range of nodes, the fewest node-hours, or, on "
          "platforms with [power], the least energy")
      ->type_name("{time,node-hours,energy}")
      ->capture_default_str();
  add_search_options(*command, *arguments);
  add_tuned_program_options(*command, arguments->program);
  add_molecule_options(*command, arguments->program.molecule_arguments);
  command->add_option("-o,--output", arguments->output, "Store the plan taken in this file")
      ->check(not_empty_check())
      ->type_name("FILE.json");
  command->callback([arguments] { tune_problem(*arguments); });
}

}  // namespace foretile
