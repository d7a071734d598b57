// SPDX-License-Identifier: BSD-3-Clause
// Candidates that differ from the best one in one parameter: better guesses where bounds are close together.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>

#include "tuner/bound_search.hpp"
#include "tuner/space.hpp"

namespace foretile {

/// Asks a search by bounds for them out of turn.
class NearSearch {
 public:
  /// Both must outlive the object. `first_bound` as in CostModel; it may be empty.
  NearSearch(const Space& space, const std::function<double(const Candidate&)>& first_bound)
      : space_(space), first_bound_(first_bound) {}

  /// A candidate with the best time so far; it need not be in the space, but what is asked for does.
  /// `better`: than all before; else as good as the best.
  void found(const Candidate& candidate, bool better);
  /// The candidate's bound is known.
  void bounded(const Candidate& candidate);

  /// What to do next; nothing when nothing near is left to ask for.
  std::optional<BoundSearch::Task> next(BoundSearch& search);

 private:
  const Space& space_;
  const std::function<double(const Candidate&)>& first_bound_;
  std::deque<Candidate> to_ask_;
  std::set<Candidate> asked_;
  std::deque<Candidate> bounded_;
};

}  // namespace foretile
