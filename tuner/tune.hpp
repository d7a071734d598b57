// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The tuner: proposes candidates, has them simulated in worker processes, keeps the history, ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/time_budget.hpp"
#include "tuner/space.hpp"
#include "tuner/workers.hpp"

namespace foretile {

/// What is searched, how, and how long.
struct TuneOptions {
  Space space;  ///< all candidates that may be tried
  /// Tried before everything else, in this order: the paper's defaults. They need not be in the space, and
  /// their values should be spelled as the space spells them ("0.5", not "0.50").
  std::vector<Candidate> first;
  /// Tried next, in this order: what was good elsewhere (tuner/starts.hpp). The search by bounds stops them
  /// at the best time. They need not be in the space.
  std::vector<Candidate> starts = {};
  Goal goal = Goal::time;         ///< what the best has least; energy needs a cost model with joules
  std::string search = "random";  ///< a name of search_names()
  std::uint64_t seed = 1;         ///< of random numbers
  /// At its end running evaluations are killed and not recorded, except the very first candidate: it goes on
  /// until it is done, or has been simulated coarsely (CostModel::evaluate_coarsely), or `latest` is over, so
  /// that there is something to compare with.
  TimeBudget budget = TimeBudget();
  TimeBudget latest = TimeBudget();  ///< by then tune() returns, whatever is missing
  /// Evaluations, those of the history included; in the search by bounds without the infeasible ones.
  std::optional<std::uint64_t> budget_count;
  WorkerLimits limits;            ///< of the worker processes
  std::filesystem::path history;  ///< empty: none is kept
  /// When the search is complete and time and count are left: simulate in full what differs from the best in
  /// one parameter and is not known (tuner/effects.hpp).
  bool effects = false;
  /// What the history belongs to (digests of problem, platform, space), an object; search and seed are added.
  nlohmann::json identity = nlohmann::json::object();
};

/// For the progress line.
struct TuneProgress {
  std::uint64_t evaluated = 0;                ///< candidates so far
  std::uint64_t total = 0;                    ///< that will be evaluated if time allows
  int running = 0;                            ///< evaluations under way
  std::optional<double> best_s;               ///< least time so far, in seconds; or least joules
  double elapsed_s = 0;                       ///< since the start
  std::optional<double> left_s;               ///< an estimate; empty before there is ground for one
  std::optional<std::uint64_t> bounded = {};  ///< candidates with a bound, while bounds are computed
  Goal goal = Goal::time;                     ///< decides what `best_s` is
};

/// Why the search ended.
enum class TuneEnd {
  complete,  ///< the whole space is evaluated, or what is left cannot be faster
  count,     ///< the budget by count is used up
  time,      ///< the budget by time is used up
  interrupt  ///< SIGINT, SIGTERM or SIGHUP
};

/// What the tuner found.
struct TuneResult {
  Goal goal = Goal::time;  ///< where it is energy, "fast" is "with few joules" below
  /// All evaluations, those of the history included: done ones from fast to slow (at equal times `first`
  /// before others, then by their values), after them the stopped, the infeasible and the failed ones in the
  /// order they ended. Where time was too short for anything: the very first candidate, simulated coarsely
  /// (is_coarse), is the only one that is done.
  std::vector<Evaluation> ranking;
  std::vector<Candidate> same_as_best;  ///< those of which is known that they stand for its plan, itself too
  Space space;                          ///< that was searched
  /// Of the best's neighbours in the space that have no evaluation: what they cannot beat, and their plans
  /// (CostModel::bound), as far as known.
  std::map<Candidate, Outcome> neighbour_bounds;
  std::optional<Evaluation> defaults;  ///< the first of `TuneOptions::first` that is done
  std::uint64_t candidates = 0;        ///< of the space, first, starts and the history
  std::uint64_t evaluated = 0;         ///< all of ranking but the infeasible ones
  std::uint64_t stopped = 0;           ///< of `evaluated`: given up when they took longer than the best
  std::uint64_t infeasible = 0;        ///< refused by the planner
  std::uint64_t failed = 0;            ///< ended by a crash, a limit or an error
  std::uint64_t from_history = 0;      ///< how many of `ranking` an earlier run made
  /// No candidate is faster than the best one by more than this share of its time: best / least open bound
  /// - 1. 0: the best is proven. Empty: not known.
  std::optional<double> gap;
  /// Whether no candidate can be faster.
  bool proven() const { return gap && *gap == 0; }
  TuneEnd end = TuneEnd::complete;  ///< of the search; time for `effects` may have run out later
  int signal = 0;                   ///< that interrupted, else 0
  double wall_s = 0;                ///< time of the whole search

  /// The fastest, or null when no candidate is done.
  const Evaluation* best() const;
  /// The one to run: better_than_defaults(), with Outcome::extra[kEffort], or the defaults. Null when no
  /// candidate is done.
  const Evaluation* chosen(double tie) const;
};

/// Called after each evaluation and about ten times a second.
using ProgressFunction = std::function<void(const TuneProgress&)>;

/// Searches the fastest candidate. The search "bound" evaluates `first` and `starts`, asks for the bounds of
/// the space in random order for at most half of the time that is left, and evaluates those below the best
/// time, the least first, each plan once. Throws InputError for an unknown search, one that needs bounds
/// where the cost model has none, budgets or limits that are not positive, nothing to search, or a history
/// that does not belong to this run (History). Candidates that fail are part of the result, not errors.
TuneResult tune(const TuneOptions& options, const CostModel& cost, const ProgressFunction& progress = {});
/// For searches that need no bounds.
TuneResult tune(const TuneOptions& options, const CostFunction& cost, const ProgressFunction& progress = {});

}  // namespace foretile
