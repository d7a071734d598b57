// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "tuner/bound_search.hpp"
#include "tuner/boxes.hpp"
#include "tuner/effects.hpp"
#include "tuner/history.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/near_search.hpp"
#include "tuner/search.hpp"
#include "tuner/tie.hpp"

namespace foretile {

namespace {

constexpr double tick_s = 0.1;
constexpr std::size_t kMostBoxes = 200'000;  // each takes some hundred bytes
constexpr int kInVain = 8;                   // evaluations that found nothing better
constexpr int kBoundsBetween = 16;           // at most, as long as there is something to evaluate

void check(const TuneOptions& options) {
  if (options.budget_count && *options.budget_count == 0)
    throw input_error("count", "0 evaluations", "at least 1");
  if (options.space.size() == 0 && options.first.empty())
    throw input_error("search space", "no candidates", "at least one", "give parameters with values");
}

nlohmann::json header_of(const TuneOptions& options) {
  nlohmann::json header = options.identity.is_null() ? nlohmann::json::object() : options.identity;
  header["search"] = options.search;
  header["seed"] = options.seed;
  return header;
}

std::vector<Candidate> candidates_before_search(const TuneOptions& options) {
  std::vector<Candidate> before = options.first;
  before.insert(before.end(), options.starts.begin(), options.starts.end());
  return before;
}

/// How many distinct candidates the search and the history have together.
std::uint64_t count_candidates(const TuneOptions& options, const History& history) {
  std::set<Candidate> outside;
  const auto note = [&](const Candidate& candidate) {
    if (!options.space.index_of(candidate)) outside.insert(candidate);
  };
  for (const Candidate& candidate : candidates_before_search(options)) note(candidate);
  for (const Evaluation& evaluation : history.evaluations()) note(evaluation.candidate);
  return options.space.size() + outside.size();
}

std::uint64_t total_of(const TuneOptions& options, const History& history) {
  const std::uint64_t budget = options.budget_count.value_or(std::numeric_limits<std::uint64_t>::max());
  return std::max<std::uint64_t>(history.evaluations().size(),
                                 std::min(budget, count_candidates(options, history)));
}

/// One run from the first proposal to the last outcome.
class Tuning {
 public:
  Tuning(const TuneOptions& options, const CostModel& cost, History& history,
         const ProgressFunction& progress)
      : options_(options),
        cost_(cost),
        progress_(progress),
        history_(history),
        search_(make_first_candidates(candidates_before_search(options),
                                      make_search(options.search, options.space, options.seed))),
        near_(options.space, cost.first_bound),
        workers_([this](const Candidate& candidate) { return work(candidate); }, options.limits),
        coarse_worker_(cost.evaluate_coarsely, options.limits),
        total_(total_of(options, history)),
        from_history_(history.evaluations().size()) {}

  TuneResult run() {
    tell_all();
    drive();
    if (options_.search == kBoundSearch && end_ != TuneEnd::interrupt) search_by_bounds();
    if (options_.effects && end_ == TuneEnd::complete) complete_effects();
    return result();
  }

 private:
  void tell_all() {
    for (const Evaluation& evaluation : history_.evaluations()) tell(evaluation);
  }

  /// In a process of its own, with this object as it was when that was started.
  Outcome work(const Candidate& candidate) const {
    if (bounding_.contains(candidate)) return cost_.bound(candidate);
    const bool in_full = in_full_ || options_.search != kBoundSearch || is_first(candidate);
    if (in_full || !best_s_ || !cost_.evaluate_until) return cost_.evaluate(candidate);
    return cost_.evaluate_until(candidate, *best_s_);
  }

  /// Evaluates what the search proposes.
  void drive() {
    fill_workers();  // before any look at the clock: the very first candidate is always tried
    while (workers_.count() > 0 && !stopped()) {
      for (const Evaluation& evaluation : workers_.wait(wait_s())) record(evaluation);
      try_first_coarsely();
      show_progress();
      if (!stopped()) fill_workers();
    }
    if (end_ == TuneEnd::time) finish_first();
    workers_.end_all();
    coarse_worker_.end_all();
  }

  double first_bound(const Candidate& candidate) const {
    return cost_.first_bound ? cost_.first_bound(candidate) : 0;
  }

  /// A budget of time is not spent on first bounds alone; they may have a second when it is over.
  bool enough_boxes(std::size_t boxes, const TimeBudget& budget) const {
    return boxes >= kMostBoxes || interrupt_.signal() != 0 || budget.over();
  }

  /// Of what is left until the latest end.
  TimeBudget budget_of(double seconds) const { return TimeBudget(std::min(seconds, options_.latest.left())); }

  bool decides_first_bound(const std::string& parameter) const {
    return !cost_.decides_first_bound || cost_.decides_first_bound(parameter);
  }

  void search_by_bounds() {
    bounds_budget_ = options_.budget.part(1, 2);
    const TimeBudget for_boxes = budget_of(std::max(bounds_budget_.left(), 1.0));
    Boxes boxes = boxes_of(
        options_.space, options_.seed, [&](std::size_t count) { return enough_boxes(count, for_boxes); },
        [this](const std::string& parameter) { return decides_first_bound(parameter); },
        [this](const Candidate& candidate) { return first_bound(candidate); });
    all_boxed_ = boxes.all;
    by_bound_.emplace(std::move(boxes.boxes), options_.goal);
    tell_all();
    if (end_ != TuneEnd::complete) return;
    start_tasks();
    while (workers_.count() > 0 && !stopped()) {
      for (const Evaluation& evaluation : workers_.wait(wait_s())) take(evaluation);
      show_progress(bounded_);
      if (!stopped()) start_tasks();
    }
    workers_.end_all();
  }

  /// What proves; once that has not found anything better for a while, in turn with what may be better
  /// because it is near to the best one.
  std::optional<BoundSearch::Task> next_task() {
    near_turn_ = !near_turn_;
    if (near_turn_ && evaluations_in_vain_ >= kInVain) {
      if (auto task = near_.next(*by_bound_)) return task;
    }
    return by_bound_->next(bounds_since_evaluation_ >= kBoundsBetween || bounds_budget_.over());
  }

  /// Bounds get half of the time, and what evaluations leave.
  void start_tasks() {
    while (workers_.has_room() && end_ != TuneEnd::count && !stopped()) {
      const auto task = next_task();
      if (!task) return;
      if (task->step == BoundSearch::Step::bound) {
        if (settled_by_look(task->candidate)) continue;
        ++bounds_since_evaluation_;
        bounding_.insert(task->candidate);
      } else if (!count_left()) {
        end_ = TuneEnd::count;
        return;
      } else {
        bounds_since_evaluation_ = 0;
      }
      workers_.start(task->candidate);
    }
  }

  /// Whether a look tells that the candidate does not fit, or has the plan of another one.
  bool settled_by_look(const Candidate& candidate) {
    if (!cost_.look) return false;
    const FirstLook look = cost_.look(candidate);
    if (!look.refusal.empty()) {
      record({candidate, {Outcome::Status::infeasible, 0, look.refusal, {}}, 0});
      return true;
    }
    if (look.plan.empty()) return false;
    const auto [first, is_new] = first_with_plan_.try_emplace(look.plan, candidate);
    if (!is_new) by_bound_->tell_same(candidate, first->second);
    return !is_new;
  }

  /// A candidate whose bound could not be computed may have any time that its first bound allows.
  void take(const Evaluation& evaluation) {
    const Outcome& outcome = evaluation.outcome;
    if (bounding_.erase(evaluation.candidate) == 0 || outcome.status == Outcome::Status::infeasible) {
      const std::optional<double> before_s = best_s_;
      record(evaluation);
      if (outcome.status != Outcome::Status::infeasible && best_s_ == before_s) ++evaluations_in_vain_;
      return;
    }
    ++bounded_;
    bounds_[evaluation.candidate] = outcome;
    by_bound_->tell_bound(evaluation.candidate, outcome.done() ? cost_of(outcome) : 0, plan_of(outcome));
    near_.bounded(evaluation.candidate);
  }

  /// Until nothing about the best's neighbours is open: one of them may be the new best.
  void complete_effects() {
    in_full_ = true;
    std::set<Candidate> asked;
    const auto left = [&] {
      std::vector<Candidate> unknown = unknown_neighbours(result());
      std::erase_if(unknown, [&](const Candidate& candidate) { return !asked.insert(candidate).second; });
      return unknown;
    };
    for (auto candidates = left(); !candidates.empty(); candidates = left()) {
      if (!evaluate_all(candidates)) break;
    }
    workers_.end_all();
    if (end_ == TuneEnd::time) end_ = TuneEnd::complete;
  }

  /// False when time or count are not enough.
  bool evaluate_all(const std::vector<Candidate>& candidates) {
    auto next = candidates.begin();
    while (true) {
      for (; next != candidates.end() && workers_.has_room() && count_left(); ++next) workers_.start(*next);
      if (workers_.count() == 0) return next == candidates.end();
      if (stopped()) return false;
      for (const Evaluation& evaluation : workers_.wait(wait_s())) record(evaluation);
      show_progress();
    }
  }

  double cost_of(const Outcome& outcome) const { return foretile::cost_of(outcome, options_.goal); }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  double wait_s() const { return std::min(options_.budget.left(), tick_s); }

  bool stopped() {
    if (interrupt_.signal() != 0) {
      end_ = TuneEnd::interrupt;
    } else if (options_.budget.over()) {
      end_ = TuneEnd::time;
    } else {
      return false;
    }
    return true;
  }

  /// The search by bounds finds what does not fit without evaluating it.
  std::uint64_t counted_evaluations() const {
    const std::vector<Evaluation>& all = history_.evaluations();
    if (options_.search != kBoundSearch) return all.size();
    return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), [](const Evaluation& e) {
      return e.outcome.status != Outcome::Status::infeasible;
    }));
  }

  bool count_left() const {
    const std::uint64_t used =
        counted_evaluations() + static_cast<std::uint64_t>(workers_.count()) - bounding_.size();
    return !options_.budget_count || used < *options_.budget_count;
  }

  std::optional<Candidate> next_unknown(Search& search) const {
    auto candidate = search.next();
    while (candidate && history_.contains(*candidate)) candidate = search.next();
    return candidate;
  }

  void fill_workers() {
    while (workers_.has_room()) {
      if (!count_left()) {
        end_ = TuneEnd::count;
        return;
      }
      const auto candidate = next_unknown(*search_);
      if (!candidate) {
        end_ = TuneEnd::complete;
        return;
      }
      workers_.start(*candidate);
    }
  }

  bool is_very_first(const Candidate& candidate) const {
    return !options_.first.empty() && candidate == options_.first.front();
  }

  /// Time is up: only the very first candidate may still finish.
  void finish_first() {
    for (const Candidate& candidate : workers_.running()) {
      if (!is_very_first(candidate)) workers_.end(candidate);
    }
    while (workers_.count() > 0 && !coarse_ && !options_.latest.over() && interrupt_.signal() == 0) {
      for (const Evaluation& evaluation : workers_.wait(std::min(options_.latest.left(), tick_s)))
        record(evaluation);
      try_first_coarsely();
      show_progress();
    }
  }

  /// Beside the others, once the very first candidate has taken so long that it may not be done in time.
  void try_first_coarsely() {
    constexpr double kShare = 0.25;
    const std::vector<Candidate> running = workers_.running();
    const auto first = std::ranges::find_if(running, [this](const auto& c) { return is_very_first(c); });
    if (first == running.end() || !cost_.evaluate_coarsely) return coarse_worker_.end_all();
    if (!coarse_started_ && (options_.budget.over() || options_.latest.share_used() >= kShare)) {
      coarse_worker_.start(*first);
      coarse_started_ = true;
    }
    if (coarse_worker_.count() == 0) return;
    for (Evaluation& evaluation : coarse_worker_.wait(0)) {
      if (!evaluation.outcome.done()) continue;
      evaluation.outcome.extra[kCoarseKey] = true;
      coarse_ = std::move(evaluation);
    }
  }

  void record(const Evaluation& evaluation) {
    history_.append(evaluation);
    tell(evaluation);
  }

  void tell(const Evaluation& evaluation) {
    search_->tell(evaluation.candidate, evaluation.outcome);
    if (by_bound_) by_bound_->tell(evaluation.candidate, evaluation.outcome);
    if (!evaluation.outcome.done()) return;
    const double cost = cost_of(evaluation.outcome);
    if (!best_s_ || cost <= *best_s_) near_.found(evaluation.candidate, !best_s_ || cost < *best_s_);
    best_s_ = std::min(best_s_.value_or(cost), cost);
  }

  std::optional<double> left_s() const {
    const std::uint64_t evaluated = history_.evaluations().size();
    std::optional<double> left;
    if (options_.budget.limited()) left = options_.budget.left();
    if (evaluated > from_history_) {
      const double each = elapsed_s() / static_cast<double>(evaluated - from_history_);
      const double rest = each * static_cast<double>(total_ - std::min(total_, evaluated));
      left = std::min(left.value_or(rest), rest);
    }
    return left;
  }

  void show_progress(std::optional<std::uint64_t> bounded = {}) const {
    if (!progress_) return;
    progress_({history_.evaluations().size(), total_, workers_.count(), best_s_, elapsed_s(), left_s(),
               bounded, options_.goal});
  }

  /// A time that no candidate without an outcome can beat; 0: none is known.
  double least_open_s(const TuneResult& result) const {
    const double none = std::numeric_limits<double>::infinity();
    if (by_bound_) return all_boxed_ ? by_bound_->least_open_s() : 0;
    return end_ == TuneEnd::complete && result.failed == 0 && options_.search != kBoundSearch ? none : 0;
  }

  std::optional<double> gap(const TuneResult& result) const {
    if (!result.best() || is_coarse(result.best()->outcome)) return {};
    const double best_s = cost_of(result.best()->outcome);
    const double open_s = least_open_s(result);
    if (open_s >= best_s) return 0;
    if (open_s > 0) return best_s / open_s - 1;
    return {};
  }

  bool is_first(const Candidate& candidate) const {
    return std::find(options_.first.begin(), options_.first.end(), candidate) != options_.first.end();
  }

  bool better(const Evaluation& a, const Evaluation& b) const {
    if (a.outcome.status != b.outcome.status) return a.outcome.status < b.outcome.status;
    if (!a.outcome.done()) return false;
    if (cost_of(a.outcome) != cost_of(b.outcome)) return cost_of(a.outcome) < cost_of(b.outcome);
    if (is_first(a.candidate) != is_first(b.candidate)) return is_first(a.candidate);
    return a.candidate < b.candidate;
  }

  std::optional<Evaluation> defaults() const {
    for (const Candidate& candidate : options_.first) {
      const Evaluation* known = history_.find(candidate);
      if (known && known->outcome.done()) return *known;
    }
    return std::nullopt;
  }

  Outcome first_outcome(const Candidate& candidate) const {
    const double bound_s = cost_.first_bound(candidate);
    if (std::isfinite(bound_s)) return outcome_of_bound(bound_s, options_.goal);
    return {Outcome::Status::infeasible, 0, "impossible with the other parameters", {}};
  }

  /// The candidate's own bound, or what is known of the one whose plan it has.
  std::optional<Outcome> told_bound(const Candidate& candidate) const {
    if (const auto told = bounds_.find(candidate); told != bounds_.end()) return told->second;
    const std::optional<Candidate> same = by_bound_ ? by_bound_->same_as(candidate) : std::nullopt;
    if (!same) return std::nullopt;
    const Evaluation* const evaluated = history_.find(*same);
    if (!evaluated) return told_bound(*same);
    Outcome outcome = evaluated->outcome;
    if (outcome.status == Outcome::Status::stopped)
      outcome = {Outcome::Status::done, outcome.lower_bound_s, {}, outcome.extra};
    return outcome;
  }

  /// What the search by bounds knows, else first bounds, as far as they come in a second.
  std::map<Candidate, Outcome> neighbour_bounds(const Candidate& best) const {
    const TimeBudget budget = budget_of(1);
    std::map<Candidate, Outcome> bounds;
    for (const Candidate& candidate : neighbours_of(best, options_.space)) {
      if (history_.contains(candidate)) continue;
      if (const std::optional<Outcome> told = told_bound(candidate)) {
        bounds[candidate] = *told;
      } else if (cost_.first_bound && !budget.over()) {
        bounds[candidate] = first_outcome(candidate);
      }
    }
    return bounds;
  }

  TuneResult result() const {
    TuneResult result;
    result.goal = options_.goal;
    result.space = options_.space;
    result.ranking = history_.evaluations();
    std::stable_sort(result.ranking.begin(), result.ranking.end(),
                     [this](const Evaluation& a, const Evaluation& b) { return better(a, b); });
    for (const Evaluation& evaluation : result.ranking) {
      result.stopped += evaluation.outcome.status == Outcome::Status::stopped;
      result.infeasible += evaluation.outcome.status == Outcome::Status::infeasible;
      result.failed += evaluation.outcome.status == Outcome::Status::failed;
    }
    result.defaults = defaults();
    if (by_bound_ && result.best())
      result.same_as_best = by_bound_->with_plan(plan_of(result.best()->outcome));
    if (result.best()) result.neighbour_bounds = neighbour_bounds(result.best()->candidate);
    result.evaluated = result.ranking.size() - result.infeasible;
    if (!result.best() && coarse_) result.ranking.insert(result.ranking.begin(), *coarse_);
    result.candidates = count_candidates(options_, history_);
    result.gap = gap(result);
    result.from_history = from_history_;
    result.end = end_;
    result.signal = interrupt_.signal();
    result.wall_s = elapsed_s();
    return result;
  }

  using Clock = std::chrono::steady_clock;

  const TuneOptions& options_;
  const CostModel& cost_;
  const ProgressFunction& progress_;
  History& history_;
  std::unique_ptr<Search> search_;
  std::optional<BoundSearch> by_bound_;  // after the first candidates
  std::set<Candidate> bounding_;         // those of which workers compute bounds
  std::map<Candidate, Outcome> bounds_;  // what they said
  std::uint64_t bounded_ = 0;
  bool all_boxed_ = true;
  int bounds_since_evaluation_ = 0;
  int evaluations_in_vain_ = 0;
  bool near_turn_ = false;
  NearSearch near_;
  std::map<std::string, Candidate> first_with_plan_;  // by FirstLook::plan
  TimeBudget bounds_budget_;
  bool in_full_ = false;  // nothing is stopped
  Workers workers_;
  Workers coarse_worker_;
  bool coarse_started_ = false;
  std::optional<Evaluation> coarse_;  // of the very first candidate
  std::uint64_t total_;
  std::uint64_t from_history_;
  std::optional<double> best_s_;
  TuneEnd end_ = TuneEnd::complete;
  InterruptGuard interrupt_;
  Clock::time_point start_ = Clock::now();
};

double effort_of(const Evaluation& evaluation) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const nlohmann::json& extra = evaluation.outcome.extra;
  return extra.is_object() ? extra.value(kEffort, unknown) : unknown;
}

}  // namespace

const Evaluation* TuneResult::best() const {
  return !ranking.empty() && ranking.front().outcome.done() ? &ranking.front() : nullptr;
}

const Evaluation* TuneResult::chosen(double tie) const {
  if (!best()) return nullptr;
  const bool by_energy = goal == Goal::energy;
  std::vector<SimulatedTime> by_time;
  for (const Evaluation& evaluation : ranking) {
    if (!evaluation.outcome.done()) break;
    // Of plans with about the same energy the fastest is wanted, not the simplest.
    by_time.push_back({cost_of(evaluation.outcome, goal),
                       by_energy ? evaluation.outcome.makespan_s : effort_of(evaluation)});
  }
  if (by_energy) return &ranking[*better_than_defaults(by_time, std::nullopt, tie)];
  const auto better = better_than_defaults(
      by_time, defaults ? std::optional(cost_of(defaults->outcome, goal)) : std::nullopt, tie);
  return better ? &ranking[*better] : &*defaults;
}

TuneResult tune(const TuneOptions& options, const CostModel& cost, const ProgressFunction& progress) {
  check(options);
  make_search(options.search, options.space,
              options.seed);  // a wrong name must not leave a new history behind
  if (options.search == kBoundSearch && !cost.bound)
    throw input_error("search", "\"bound\" of a cost model without bounds", "another search");
  if (options.history.empty()) {
    History history;
    return Tuning(options, cost, history, progress).run();
  }
  History history(options.history, header_of(options));
  return Tuning(options, cost, history, progress).run();
}

TuneResult tune(const TuneOptions& options, const CostFunction& cost, const ProgressFunction& progress) {
  return tune(options, CostModel{cost, {}}, progress);
}

}  // namespace foretile
