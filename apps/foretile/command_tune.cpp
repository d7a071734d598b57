// SPDX-License-Identifier: BSD-3-Clause
// foretile tune PROBLEM: rehearses choices of tiling, grid and memory split and keeps the fastest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/finer_tiling.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/rehearsal.hpp"
#include "apps/foretile/tune_program.hpp"
#include "apps/foretile/tune_space.hpp"
#include "apps/foretile/what_if.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "planner/problem/retile.hpp"
#include "platforms/runtime_source.hpp"
#include "platforms/units.hpp"
#include "scheduler/report/report_json.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/history.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/report.hpp"
#include "tuner/search.hpp"
#include "tuner/starts.hpp"

namespace foretile {

namespace {

struct TuneArguments : CaseArguments {
  std::vector<std::string> problems;
  std::string budget;
  std::string evaluation_limit;
  std::string output;
  std::string nodes;
  std::string goal = "time";
  EngineChoice engine = EngineChoice::automatic;
  TuneOptions tune;
  double tie = kTie;
  std::string space;
  std::string history;
  std::string start_from;
  std::vector<Evaluation> elsewhere;  // what start_from says
  TuneProgramArguments program;       // of these: sizes, tiles, mode
};

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
  made.engine = arguments.engine;
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
          {"space", digest(space.text())}};
}

std::string parameters_text(const Candidate& candidate) {
  std::string text;
  for (const auto& [key, value] : candidate) text += fmt::format(" {}={}", key, value);
  return text;
}

std::string end_text(TuneEnd end) {
  switch (end) {
    case TuneEnd::complete:
      return "nothing is left";
    case TuneEnd::count:
      return "the count is reached";
    case TuneEnd::time:
      return "the time is over";
    case TuneEnd::interrupt:
      break;
  }
  return "interrupted";
}

/// What is known of the candidates that were not rehearsed.
std::string proof_text(const TuneResult& result) {
  if (!result.gap) return {};
  const std::uint64_t rehearsed = result.evaluated;
  if (result.proven()) return fmt::format("proven best of {}: {} rehearsed", result.candidates, rehearsed);
  return fmt::format("at most {:.1f}% slower than the best of {}: {} rehearsed", 100 * *result.gap,
                     result.candidates, rehearsed);
}

const Evaluation* chosen(const TuneArguments& arguments, const TuneResult& result) {
  return result.chosen(arguments.tie);
}

/// The chosen candidate, planned again.
struct Best {
  PlannedWork work;
  Bounds bounds;
};

/// Nothing when there is none, and when nothing is to be stored and somebody waits for the end, or that would
/// take longer than there is time.
std::optional<Best> plan_best(const TuneArguments& arguments, const Candidates& candidates,
                              const TuneResult& result, const TimeBudget& budget, ProgressLine& line) {
  if (!result.best()) return {};
  const Candidate& candidate = chosen(arguments, result)->candidate;
  try {
    const bool is_late =
        result.end == TuneEnd::interrupt || candidates.planning(candidate).seconds > budget.left();
    if (arguments.output.empty() && is_late) return {};
    PlannedWork work = candidates.plan(candidate, line.stage("plan", kPlanningSteps));
    const Bounds bounds = bounds_of(work.plan, work.contraction, work.machine);
    return Best{std::move(work), bounds};
  } catch (const InputError& error) {  // it was planned before, so its line in the history is wrong
    if (arguments.history.empty()) throw;
    throw InputError(fmt::format("{}: {}; remove this line or use another --history file",
                                 place_in_history(arguments.history, candidate), error.what()));
  }
}

/// A line for each parameter of a space that nobody wrote down.
std::string space_text(const Space& space) {
  std::string text = "space searched, made as --space gives none\n";
  std::size_t width = 0;
  for (const Parameter& parameter : space.parameters()) width = std::max(width, parameter.name.size());
  for (const Parameter& parameter : space.parameters())
    text += fmt::format("  {:<{}}  {}\n", parameter.name, width, fmt::join(parameter.values, ", "));
  return text + "\n";
}

nlohmann::ordered_json space_json(const Space& space) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Parameter& parameter : space.parameters()) json[parameter.name] = parameter.values;
  return json;
}

/// Why the chosen one is not the fastest.
std::string tie_text(const TuneResult& result, const Evaluation& taken, double tie) {
  if (&taken == result.best() || taken.candidate == result.best()->candidate) return {};
  const bool defaults = result.defaults && taken.candidate == result.defaults->candidate;
  return fmt::format(
      "taken     {:.4g} s:{}\n          predictions cannot tell it from the best ({:.3g}%): {}\n",
      taken.outcome.makespan_s, parameters_text(taken.candidate), 100 * tie,
      defaults ? "the defaults" : "the fewest chunks and messages");
}

/// Where so little was tried that the best hardly is one.
std::string few_tried_text(const TuneResult& result) {
  constexpr std::uint64_t kFew = 10;
  if (result.end != TuneEnd::time || result.evaluated >= kFew || result.proven()) return {};
  return fmt::format(
      "tried     only {} of {} candidates: give more --budget, or a machine with less other work\n",
      result.evaluated, result.candidates);
}

std::string summary_text(const TuneResult& result, const Candidates& candidates,
                         const std::optional<Best>& planned, double tie) {
  std::string text = fmt::format("{} of {} candidates rehearsed in {}", result.evaluated, result.candidates,
                                 quantity(result.wall_s, "s"));
  if (result.stopped > 0) text += fmt::format(", {} of them as far as the best time", result.stopped);
  text += fmt::format("; {} infeasible, {} failed, {} from the history: {}\n\n", result.infeasible,
                      result.failed, result.from_history, end_text(result.end));
  text += ranking_table(result);
  if (const std::string proof = proof_text(result); !proof.empty()) text += "\n" + proof + "\n";
  text += fmt::format("\nsoftware costs: {}\n", runtime_source_text(candidates.platform().runtime.source));
  if (const std::string table = effects_table(result); !table.empty())
    text += "\neach parameter by itself, the others as in the best\n" + table;
  if (!result.best()) return text;
  const Evaluation& best = *result.best();
  text += fmt::format("\nbest      {:.4g} s{}:{}\n", best.outcome.makespan_s,
                      is_coarse(best.outcome) ? ", coarse" : "", parameters_text(best.candidate));
  if (is_coarse(best.outcome)) text += "          nothing was finished in full: give more --budget\n";
  if (const std::string ties = ties_text(result); !ties.empty()) text += fmt::format("          {}\n", ties);
  text += few_tried_text(result);
  const Evaluation& taken = *result.chosen(tie);
  text += tie_text(result, taken, tie);
  text += fmt::format("sources   {}\n", candidates.choice(taken.candidate).reason());
  if (planned) {
    const double best_s = taken.outcome.makespan_s;
    text += fmt::format("bounds    of this plan {}\n", bound_text(planned->bounds.plan, best_s));
    text += fmt::format("          of any plan {}\n", bound_text(planned->bounds.problem, best_s));
  }
  if (result.defaults) {
    const double defaults = result.defaults->outcome.makespan_s;
    text += fmt::format("defaults  {:.4g} s:{}\n", defaults, parameters_text(result.defaults->candidate));
    if (const std::string gain = gain_text(result, tie); !gain.empty())
      text += fmt::format("gain      {}\n", gain);
  }
  if (taken.outcome.extra.contains(kLimitKey))
    text += fmt::format("\n{}\n", taken.outcome.extra.at(kLimitKey).get<std::string>());
  return text;
}

/// Of plans whose experiments are short.
Guesses guesses_of(const Case& the_case, const Problem& problem, const MachineSize& size,
                   const PlannedWork& work, const std::function<bool()>& stop, ProgressLine& line) {
  constexpr std::int64_t kMostProducts = 200'000;
  if (the_case.guesses.empty()) return Guesses::value_type();
  if (work.summary.gemms > kMostProducts) return std::nullopt;
  Case best = the_case;
  best.problem = problem;
  best.platform = work.machine.platform;
  best.size = size;
  best.settings = make_plan_file(problem, size, work).parameters;
  SimulationOptions options;
  return deciding_guesses(best, work, options, line, stop);
}

void store_best(const TuneArguments& arguments, const Candidates& candidates, const MachineSize& size,
                const Evaluation& best, const PlannedWork& work) {
  PlanFile file = make_plan_file(candidates.problem_of(best.candidate), size, work);
  if (!is_coarse(best.outcome))
    file.predicted = Prediction{best.outcome.makespan_s, best.outcome.extra.value(kRateKey, 0.0)};
  save_plan_file(arguments.output, file);
}

TuneResult run(const TuneOptions& options, const Candidates& candidates, ProgressLine& line) {
  const CostModel cost{
      .evaluate = [&](const Candidate& candidate) { return candidates.rehearse(candidate); },
      .bound = [&](const Candidate& candidate) { return candidates.bound(candidate); },
      .first_bound = [&](const Candidate& candidate) { return candidates.first_bound(candidate); },
      .decides_first_bound = Candidates::decides_first_bound,
      .look = [&](const Candidate& candidate) { return candidates.look(candidate); },
      .evaluate_until = [&](const Candidate& candidate,
                            double stop_s) { return candidates.rehearse(candidate, stop_s); },
      .evaluate_coarsely =
          [&](const Candidate& candidate) { return candidates.rehearse_coarsely(candidate); }};
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

/// One search, on a machine of one size.
struct Tuning {
  MachineSize size;
  std::unique_ptr<Candidates> candidates;
  Starts starts;  // from --start-from
  TuneResult result;
};

/// Says which, if any.
std::vector<Parameter> finer_tilings_of(const Case& the_case, const MachineSize& size,
                                        const TimeBudget& budget) {
  Case of_size = the_case;
  of_size.size = size;
  std::vector<Parameter> tilings =
      tilings_to_try(of_size, TimeBudget(std::min(kTilingSeconds, budget.share(1, 4))));
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

/// All numbers of nodes, or those for which there is time, and the tuning of the one that the goal asks for.
struct NodesTuning {
  std::vector<NodesResult> results;
  Tuning chosen;
  std::size_t asked = 0;
  TuneEnd end = TuneEnd::complete;
  int signal = 0;
};

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
    all.results.push_back(nodes_result(order[i], tuning.result, arguments.tie));
    if (tuning.result.best()) known = {tuning.result.best()->candidate};
    all.end = tuning.result.end;
    all.signal = tuning.result.signal;
    const NodesResult* const best = best_of(all.results, goal);
    if (i == 0 || best == &all.results.back()) all.chosen = std::move(tuning);
    if (all.end == TuneEnd::interrupt) break;
  }
  return all;
}

std::string starts_text(const std::string& file, const Starts& starts) {
  const std::size_t used = starts.candidates.size();
  if (used + starts.unused == 0)
    return fmt::format("started from the defaults only: nothing in {} is done", one_line(file));
  std::string text =
      fmt::format("started from {} good candidate{} of {}", used, used == 1 ? "" : "s", one_line(file));
  if (starts.unused > 0) text += fmt::format("; {} more cannot be tried in this space", starts.unused);
  return text;
}

nlohmann::ordered_json tuning_json(const TuneArguments& arguments, const Tuning& tuning,
                                   const std::optional<Best>& best, const NodesTuning* over_nodes) {
  const TuneResult& result = tuning.result;
  nlohmann::ordered_json json = to_json(result);
  json["space"] = space_json(result.space);
  if (!arguments.start_from.empty()) {
    json["started_from"] = tuning.starts.candidates.size();
    json["starts_unused"] = tuning.starts.unused;
  }
  json["runtime_source"] = tuning.candidates->platform().runtime.source;
  if (result.best()) {
    const Evaluation& taken = *chosen(arguments, result);
    json["taken"] = {{"parameters", taken.candidate}, {"makespan_s", taken.outcome.makespan_s}};
    json["tie"] = arguments.tie;
    add_choice(json, tuning.candidates->choice(taken.candidate));
  }
  if (best) add_bounds(json, best->bounds);
  if (over_nodes) {
    json["goal"] = arguments.goal;
    json["nodes"] = *tuning.size.nodes;
    json["by_nodes"] = to_json(over_nodes->results);
  }
  if (best && !arguments.output.empty()) json["file"] = arguments.output;
  return json;
}

void print(const TuneArguments& arguments, const Tuning& tuning, const std::optional<Best>& best,
           const NodesTuning* over_nodes) {
  const TuneResult& result = tuning.result;
  if (over_nodes) {
    fmt::print("{}", nodes_table(over_nodes->results));
    if (over_nodes->results.size() < over_nodes->asked)
      fmt::print("{} of {} numbers of nodes: {}\n", over_nodes->results.size(), over_nodes->asked,
                 end_text(over_nodes->end));
    fmt::print("\non {} ({}):\n", nodes_text(*tuning.size.nodes),
               arguments.goal == "time" ? "the shortest time" : "the fewest node-hours");
  }
  if (!arguments.start_from.empty()) fmt::print("{}\n", starts_text(arguments.start_from, tuning.starts));
  if (arguments.space.empty()) fmt::print("{}", space_text(result.space));
  fmt::print("{}", summary_text(result, *tuning.candidates, best, arguments.tie));
  if (best && !arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
  std::fflush(stdout);
}

/// Stores and prints the best, then which guesses decide; says what went wrong where there is none.
void conclude(const TuneArguments& arguments, const Case& the_case, const Tuning& tuning,
              const TimeBudget& latest, ProgressLine& line, const NodesTuning* over_nodes) {
  const TuneResult& result = tuning.result;
  const TuneEnd end = over_nodes ? over_nodes->end : result.end;
  int signal = over_nodes ? over_nodes->signal : result.signal;
  const bool is_json = arguments.options.json;
  const std::optional<Best> best = plan_best(arguments, *tuning.candidates, result, latest, line);
  if (best && !arguments.output.empty())
    store_best(arguments, *tuning.candidates, tuning.size, *chosen(arguments, result), best->work);
  erase_progress();
  if (!is_json && (result.best() || end == TuneEnd::interrupt)) print(arguments, tuning, best, over_nodes);
  Guesses guesses;
  if (best && end != TuneEnd::interrupt) {
    const InterruptGuard interrupt;
    const auto stop = [&] { return latest.over() || interrupt.signal() != 0; };
    guesses = guesses_of(the_case, tuning.candidates->problem_of(chosen(arguments, result)->candidate),
                         tuning.size, best->work, stop, line);
    erase_progress();
    if (!is_json) fmt::print("{}", guesses_text(guesses));
    signal = interrupt.signal();
  }
  if (is_json) {
    nlohmann::ordered_json json = tuning_json(arguments, tuning, best, over_nodes);
    if (best) json["guesses"] = guesses_json(guesses);
    print_json(json);
  }
  if (signal != 0) throw CLI::RuntimeError(128 + signal);
  if (!result.best()) {
    std::string why = ranking_table(result);
    why.pop_back();
    throw WorkError(why);
  }
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
  check_program_options(
      problem,
      {{of.occupied, of.virtuals, of.tiles.empty() ? 0 : of.tiles.front()}, of.mode, of.made, of.layout});
  if (!is_program_file(problem)) return;
  if (arguments.problems.size() > 1)
    throw input_error("problem", quote(arguments.problems[1]), "one program", "tune one at a time");
  refuse_for_programs(problem, {{"--ranks", arguments.size.ranks.has_value()},
                                {"--gpus", arguments.size.gpus.has_value()},
                                {"--engine", arguments.engine == EngineChoice::simgrid},
                                {"--goal", arguments.goal != "time"},
                                {"--space", !arguments.space.empty()},
                                {"--search", arguments.tune.search != kBoundSearch},
                                {"--workers", arguments.tune.limits.workers != 0},
                                {"--count", arguments.tune.budget_count.has_value()},
                                {"--evaluation-limit", !arguments.evaluation_limit.empty()},
                                {"--history", !arguments.history.empty()},
                                {"--start-from", !arguments.start_from.empty()},
                                {"--effects", arguments.tune.effects},
                                {"--tie", arguments.tie != kTie},
                                {"--output", !arguments.output.empty()}});
}

void tune_program_of(const TuneArguments& arguments) {
  TuneProgramArguments program = arguments.program;
  static_cast<CaseArguments&>(program) = static_cast<const CaseArguments&>(arguments);
  program.nodes = arguments.nodes;
  program.seed = arguments.tune.seed;
  if (!arguments.budget.empty()) {
    program.budget_s = parse_duration(arguments.budget, "--budget");
    if (*program.budget_s < 0)
      throw input_error("--budget", quote(arguments.budget), "at least 0 s", "give the search time");
  }
  tune_program_case(program);
}

void tune_problem(TuneArguments& arguments) {
  require_simulator("tune");
  arguments.problem = arguments.problems.front();
  check_program(arguments);
  if (is_program_file(arguments.problem)) return tune_program_of(arguments);
  const TuneOptions options = tune_options(arguments);
  const Goal goal = goal_of(arguments.goal);
  NodeRange range;
  if (!arguments.nodes.empty()) {
    range = node_range(arguments.nodes);
    arguments.size.nodes = range.first;
  }
  if (!arguments.start_from.empty()) arguments.elsewhere = read_history(arguments.start_from);
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
                  "The search space, a TOML file; without it one around the paper's values")
      ->check(not_empty_check());
  command.add_option("--search", arguments.tune.search, "bound (proves its result), exhaustive or random")
      ->capture_default_str();
  command.add_option("--seed", arguments.tune.seed, "Of the random order")
      ->check(whole_number_check())
      ->capture_default_str();
  command.add_option("--budget", arguments.budget, "Time of this run, for example 60s, 10m or 1h30m")
      ->check(not_empty_check())
      ->type_name("TIME");
  command.add_option("--count", arguments.tune.budget_count, "Evaluations, those in the history included")
      ->check(whole_number_check());
  command.add_option("--evaluation-limit", arguments.evaluation_limit, "Time of one evaluation (10m)")
      ->check(not_empty_check())
      ->type_name("TIME");
  command.add_option("--workers", arguments.tune.limits.workers, "Evaluations at a time; 0: one per core")
      ->check(whole_number_check());
  command
      .add_option("--history", arguments.history,
                  "Keep evaluations here; a run that was killed resumes from it")
      ->check(not_empty_check());
  command
      .add_option("--start-from", arguments.start_from,
                  "Try first what was best in this --history file of another machine, problem or space")
      ->check(not_empty_check());
  command
      .add_option("--tie", arguments.tie,
                  "Share of time that predictions cannot tell apart: a plan that beats the defaults by less "
                  "is not taken")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_flag("--effects", arguments.tune.effects,
                   "After the search, rehearse all that differs from the best in one parameter");
}

}  // namespace

void add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tune", "Search for the parameters with the shortest rehearsal");
  const auto arguments = std::make_shared<TuneArguments>();
  arguments->tune.search = kBoundSearch;
  command
      ->add_option(
          "problem", arguments->problems,
          "A problem file, an example such as c65-v1, a plan file, or a program: FILE.txt; the tuner "
          "chooses among several problems")
      ->required();
  add_machine_options(*command, *arguments, &arguments->nodes);
  add_engine_option(*command, arguments->engine);
  command->add_option("--goal", arguments->goal, "Of a range of nodes: time or node-hours")
      ->capture_default_str();
  add_search_options(*command, *arguments);
  const auto size = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000});
  TuneProgramArguments& program = arguments->program;
  command->add_option("--o", program.occupied, "Of a program: occupied orbitals of each spin")
      ->check(size)
      ->type_name("N");
  command->add_option("--v", program.virtuals, "Of a program: virtual orbitals of each spin")
      ->check(size)
      ->type_name("N");
  command
      ->add_option(
          "--tile", program.tiles,
          "Of a program: largest extent of a tile; repeatable, all are tried; unless given, up to four "
          "of at most 100")
      ->check(size)
      ->allow_extra_args(false)
      ->type_name("N");
  command->add_option("--mode", program.mode, "Of a program: levels or flow; both are tried unless given")
      ->check(CLI::IsMember({"levels", "flow"}));
  add_make_option(*command, program.made);
  add_layout_option(*command, program.layout);
  command->add_option("-o,--output", arguments->output, "Store the plan taken (--tie) in this .json file")
      ->check(not_empty_check());
  command->callback([arguments] { tune_problem(*arguments); });
}

}  // namespace foretile
