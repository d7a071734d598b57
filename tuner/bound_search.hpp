// Candidates in the order of their bounds, until none can be better.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/outcome.hpp"

namespace foretile {

/// A candidate with a time that its evaluation cannot beat.
struct Bounded {
  Candidate candidate;
  double bound_s = 0;
};

/// Best-first: the candidate with the least bound comes next. While that bound is a first one, which cost
/// nothing, a better one is asked for; then the candidate is evaluated. It is left out when its bound is not
/// below the best time told, or when its plan (a text that is the same for candidates which stand for the
/// same plan) is known or under way.
class BoundSearch {
 public:
  enum class Step { bound, evaluate };
  struct Task {
    Candidate candidate;
    Step step = Step::bound;
    friend bool operator==(const Task&, const Task&) = default;
  };

  /// Equal bounds go by their order here, evaluations before bounds.
  explicit BoundSearch(std::vector<Bounded> candidates);

  /// What to do next; nothing when nothing is left, or all that is left waits for tasks under way.
  /// `evaluate_first`: no further bounds as long as there is something to evaluate.
  std::optional<Task> next(bool evaluate_first = false);

  /// The answer to Step::bound. `plan` may be empty: the candidate's own.
  void tell_bound(const Candidate& candidate, double bound_s, const std::string& plan);
  /// The answer to Step::evaluate, or to Step::bound where the candidate is infeasible; also of candidates
  /// that were never proposed. A failed one may have any time that its bound allows.
  void tell(const Candidate& candidate, const Outcome& outcome);

  /// Candidates that are known to stand for this plan.
  std::vector<Candidate> with_plan(const std::string& plan) const;

  /// The least bound of all candidates that may still be better; infinite when there is none.
  double least_open_s() const;

 private:
  using Place = std::pair<double, std::size_t>;  // bound and number

  void close(std::size_t number);
  void know_plan(const std::string& plan);

  std::vector<Bounded> candidates_;
  std::map<Candidate, std::size_t> numbers_;
  std::map<std::string, std::set<std::size_t>> of_plan_;  // candidates with this plan that are not closed
  std::set<std::string> known_plans_;
  std::vector<std::string> plans_;  // of each candidate; empty: not known
  std::set<Place> to_bound_, to_evaluate_, open_;
  double best_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace foretile
