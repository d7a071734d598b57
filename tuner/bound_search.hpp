// Candidates in the order of their bounds, until none can be better.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tuner/search.hpp"

namespace foretile {

/// A candidate with a time that its evaluation cannot beat, and a text that is the same for candidates that
/// stand for the same plan.
struct Bounded {
  Candidate candidate;
  double bound_s = 0;
  std::string plan;
};

/// Proposes the least bound first (ties by the candidates' values), each plan once, and stops when no bound
/// is below the best time that it was told.
class BoundSearch : public Search {
 public:
  explicit BoundSearch(std::vector<Bounded> bounded);

  std::optional<Candidate> next() override;
  void tell(const Candidate& candidate, const Outcome& outcome) override;

  /// The least bound of the plans without an outcome, or whose evaluation failed; infinite when there is
  /// none.
  double least_open_s() const;

 private:
  struct PlanState {
    bool proposed = false;
    bool closed = false;  // done or infeasible
  };

  std::vector<Bounded> bounded_;            // by bound
  std::map<Candidate, std::string> names_;  // of plans
  std::map<std::string, PlanState> plans_;
  std::size_t next_ = 0;
  double best_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace foretile
