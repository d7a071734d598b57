// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_conclusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/what_if.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "platforms/guesses.hpp"
#include "platforms/runtime_source.hpp"
#include "scheduler/report/report_json.hpp"
#include "tuner/history.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/report.hpp"

namespace foretile {

namespace {

std::string parameters_text(const Candidate& candidate) {
  std::string text;
  for (const auto& [key, value] : candidate) text += fmt::format(" {}={}", key, value);
  return text;
}

/// Seconds, and joules where they are known.
std::string cost_text(const Outcome& outcome) {
  const std::optional<double> joules = joules_of(outcome);
  return fmt::format("{:.4g} s{}", outcome.makespan_s, joules ? ", " + quantity(*joules, "J") : "");
}

/// What is known of the candidates that were not simulated.
std::string proof_text(const TuneResult& result) {
  if (!result.gap) return {};
  const std::uint64_t simulated = result.evaluated;
  const char* const more = result.goal == Goal::energy ? "more energy" : "slower";
  if (result.proven()) return fmt::format("proven best of {}: {} simulated", result.candidates, simulated);
  return fmt::format("at most {:.1f}% {} than the best of {}: {} simulated", 100 * *result.gap, more,
                     result.candidates, simulated);
}

/// The chosen candidate, planned again.
struct Best {
  PlannedWork work;
  Bounds bounds;
};

/// Nothing when there is none, and when nothing is to be stored and the user waits for the end, or that would
/// take longer than there is time.
std::optional<Best> plan_best(const TuneArguments& arguments, const Tuning& tuning, const TimeBudget& budget,
                              ProgressLine& line) {
  const TuneResult& result = tuning.result;
  if (!result.best()) return {};
  const Candidates& candidates = *tuning.candidates;
  const Candidate& candidate = tuning.chosen().candidate;
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
                                 place_in_history(arguments.history, candidate), error.what()),
                     HelpPage::wrong_file);
  }
}

/// A line for each parameter of a space that was made.
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
  return fmt::format("taken     {}:{}\n          predictions cannot tell it from the best ({:.3g}%): {}\n",
                     cost_text(taken.outcome), parameters_text(taken.candidate), 100 * tie,
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
  std::string text = fmt::format("{} of {} candidates simulated in {}", result.evaluated, result.candidates,
                                 quantity(result.wall_s, "s"));
  if (result.stopped > 0) text += fmt::format(", {} of them as far as the best time", result.stopped);
  text += fmt::format("; {} infeasible, {} failed, {} from the history: {}\n\n", result.infeasible,
                      result.failed, result.from_history, end_text(result.end));
  text += ranking_table(result);
  if (const std::string proof = proof_text(result); !proof.empty()) text += "\n" + proof + "\n";
  if (result.best() && joules_of(result.best()->outcome) && power_is_guessed(candidates.platform()))
    text += "\nenergy: about, since figures of [power] are guesses\n";
  text += fmt::format("\nsoftware costs: {}\n", runtime_source_text(candidates.platform().runtime.source));
  if (const std::string table = effects_table(result); !table.empty())
    text += "\neach parameter by itself, the others as in the best\n" + table;
  if (!result.best()) return text;
  const Evaluation& best = *result.best();
  text += fmt::format("\nbest      {}{}:{}\n", cost_text(best.outcome),
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
    text += fmt::format("defaults  {}:{}\n", cost_text(result.defaults->outcome),
                        parameters_text(result.defaults->candidate));
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
  if (the_case.guesses.empty()) return Guesses::value_type();
  if (work.summary.gemms > kMostProductsInFull) return std::nullopt;
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

std::string starts_text(const std::string& file, const Starts& starts) {
  const std::size_t used = starts.candidates.size();
  if (used + starts.unused == 0)
    return fmt::format("started from the defaults only: nothing in {} is done", one_line(file));
  std::string text =
      fmt::format("started from {} good candidate{} of {}", used, used == 1 ? "" : "s", one_line(file));
  if (starts.unused > 0) text += fmt::format("; {} more cannot be tried in this space", starts.unused);
  return text;
}

/// Of the plan taken: by the engine that searched, and by SimGrid where the user names no engine.
EngineTimes engine_times(const TuneArguments& arguments, const Case& the_case, const Tuning& tuning,
                         const Best& best, const TimeBudget& latest, const std::function<bool()>& stop,
                         ProgressLine& line) {
  const bool guesses_follow = !the_case.guesses.empty() && best.work.summary.gemms <= kMostProductsInFull;
  const double share = guesses_follow ? 0.5 : 0.9;  // of the time that is left
  const Outcome& taken = tuning.chosen().outcome;
  if (is_coarse(taken)) return {.left_out = "nothing was simulated in full"};
  if (arguments.engine == EngineChoice::simgrid) return {.simgrid_s = taken.makespan_s};
  EngineTimes times;
  if (arguments.engine == EngineChoice::automatic) {
    line.show("simulate by SimGrid");
    times = by_simgrid({&best.work}, SimulationOptions().noise_seed,
                       std::min(kMostSimgridSeconds, share * latest.left()), stop);
  }
  times.fluid_s = taken.makespan_s;
  return times;
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
    const Evaluation& taken = tuning.chosen();
    json["taken"] = {{"parameters", taken.candidate}, {"makespan_s", taken.outcome.makespan_s}};
    json["tie"] = tuning.tie;
    if (const std::optional<double> joules = joules_of(taken.outcome)) {
      json["taken"]["joules"] = *joules;
      json["energy_is_guess"] = power_is_guessed(tuning.candidates->platform());
    }
    add_choice(json, tuning.candidates->choice(taken.candidate));
  }
  if (best) add_bounds(json, best->bounds);
  if (over_nodes || result.goal == Goal::energy) json["goal"] = arguments.goal;
  if (over_nodes) {
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
    fmt::print("{}", nodes_table(over_nodes->results, power_is_guessed(tuning.candidates->platform())));
    if (over_nodes->results.size() < over_nodes->asked)
      fmt::print("{} of {} numbers of nodes: {}\n", over_nodes->results.size(), over_nodes->asked,
                 end_text(over_nodes->end));
    fmt::print("\non {} ({}):\n", nodes_text(*tuning.size.nodes),
               arguments.goal == "time"         ? "the shortest time"
               : arguments.goal == "node-hours" ? "the fewest node-hours"
                                                : "the least energy");
  }
  if (!arguments.start_from.empty()) fmt::print("{}\n", starts_text(arguments.start_from, tuning.starts));
  if (arguments.space.empty()) fmt::print("{}", space_text(result.space));
  fmt::print("{}", summary_text(result, *tuning.candidates, best, tuning.tie));
  if (best && !arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
  std::fflush(stdout);
}

}  // namespace

void conclude(const TuneArguments& arguments, const Case& the_case, const Tuning& tuning,
              const TimeBudget& latest, ProgressLine& line, const NodesTuning* over_nodes) {
  const TuneResult& result = tuning.result;
  const TuneEnd end = over_nodes ? over_nodes->end : result.end;
  int signal = over_nodes ? over_nodes->signal : result.signal;
  const bool is_json = arguments.options.json;
  const std::optional<Best> best = plan_best(arguments, tuning, latest, line);
  if (best && !arguments.output.empty())
    store_best(arguments, *tuning.candidates, tuning.size, tuning.chosen(), best->work);
  erase_progress();
  if (!is_json && (result.best() || end == TuneEnd::interrupt)) print(arguments, tuning, best, over_nodes);
  Guesses guesses;
  std::optional<EngineTimes> times;
  if (best && end != TuneEnd::interrupt) {
    const InterruptGuard interrupt;
    const auto stop = [&] { return latest.over() || interrupt.signal() != 0; };
    times = engine_times(arguments, the_case, tuning, *best, latest, stop, line);
    erase_progress();
    if (!is_json) fmt::print("engines   {}\n", engine_times_text(*times));
    std::fflush(stdout);
    guesses = guesses_of(the_case, tuning.candidates->problem_of(tuning.chosen().candidate), tuning.size,
                         best->work, stop, line);
    erase_progress();
    if (!is_json) fmt::print("{}", guesses_text(guesses));
    signal = interrupt.signal();
  }
  if (is_json) {
    nlohmann::ordered_json json = tuning_json(arguments, tuning, best, over_nodes);
    if (times) add_engine_times(json, *times);
    if (best) json["guesses"] = guesses_json(guesses);
    print_json(json);
  }
  if (signal != 0) throw CLI::RuntimeError(128 + signal);
  if (!result.best()) {
    std::string why = ranking_table(result);
    why.pop_back();
    throw WorkError(why, HelpPage::budget);
  }
}

}  // namespace foretile
