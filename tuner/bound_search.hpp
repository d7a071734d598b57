// SPDX-License-Identifier: BSD-3-Clause
// Candidates in the order of their bounds, until none can be better.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/outcome.hpp"

namespace foretile {

/// Candidates with a time that the evaluation of none of them can beat.
struct Box {
  double bound_s = 0;
  std::function<std::optional<Candidate>()> next;  ///< each candidate once, then nothing
};

/// Of one candidate.
Box box_of(const Candidate& candidate, double bound_s);

/// Best-first: the next candidate comes from the box with the least bound, and a bound of its own is asked
/// for; it is evaluated when that is the least of all bounds. A candidate is left out when its bound is not
/// below the best time told, or when its plan (a text that is the same for candidates which stand for the
/// same plan) is known or under way. Times and bounds are costs in the unit of the goal (cost_of()). Memory
/// grows with the candidates that came, not with the boxes.
class BoundSearch {
 public:
  enum class Step { bound, evaluate };
  struct Task {
    Candidate candidate;
    Step step = Step::bound;
    friend bool operator==(const Task&, const Task&) = default;
  };

  /// Equal bounds go by their order here, evaluations before bounds. No candidate is in two boxes.
  explicit BoundSearch(std::vector<Box> boxes, Goal goal = Goal::time);

  /// What to do next; nothing when nothing is left, or all that is left waits for tasks under way.
  /// `evaluate_first`: no further bounds as long as there is something to evaluate.
  std::optional<Task> next(bool evaluate_first = false);

  /// Asks for the bound of a candidate out of turn. False when it need not be asked for: it came already, or
  /// its bound is not below the best time.
  bool ask(const Candidate& candidate, double bound_s);
  /// Evaluates a candidate out of turn. False when it need not, or must not yet, be evaluated.
  bool evaluate(const Candidate& candidate);

  /// Answers to Step::bound, of candidates that were asked for. `plan` may be empty: the candidate's own.
  void tell_bound(const Candidate& candidate, double bound_s, const std::string& plan);
  /// The candidate stands for the same plan as `other`, which was asked for before.
  void tell_same(const Candidate& candidate, const Candidate& other);
  /// The answer to Step::evaluate, or to Step::bound where the candidate is infeasible; also of candidates
  /// that were never proposed. A failed one may have any time that its bound allows.
  void tell(const Candidate& candidate, const Outcome& outcome);

  /// The other one, of tell_same().
  std::optional<Candidate> same_as(const Candidate& candidate) const;

  /// Candidates that are known to stand for this plan, in the order in which they came.
  std::vector<Candidate> with_plan(const std::string& plan) const;

  /// The least bound of all candidates that may still be better; infinite when there is none.
  double least_open_s() const;

 private:
  using Place = std::pair<double, std::size_t>;  // bound and number

  struct OpenBox {
    Box box;
    std::optional<Candidate> ahead;  // what comes next
  };

  struct Known {
    Candidate candidate;
    double bound_s = 0;
    std::string plan = {};                    // empty: not known
    std::optional<std::size_t> same_as = {};  // number of another one with the same plan
    bool failed = false;
  };

  bool useful(double bound_s) const { return bound_s < best_s_; }
  bool useful(const std::set<Place>& places) const {
    return !places.empty() && useful(places.begin()->first);
  }
  std::optional<Candidate> take_from(std::size_t box);
  void close(std::size_t number);
  void know_plan(const std::string& plan);

  std::vector<OpenBox> boxes_;
  std::set<Place> open_boxes_;
  std::vector<Known> known_;
  std::map<Candidate, std::size_t> numbers_;
  std::map<std::string, std::set<std::size_t>> of_plan_;  // candidates with this plan that are not closed
  std::set<std::string> known_plans_;
  std::set<Place> to_evaluate_, open_;
  Goal goal_;
  double best_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace foretile
