// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/near_search.hpp"

#include <utility>

#include "tuner/effects.hpp"

namespace foretile {

namespace {

Candidate take_first(std::deque<Candidate>& candidates) {
  Candidate first = std::move(candidates.front());
  candidates.pop_front();
  return first;
}

}  // namespace

void NearSearch::found(const Candidate& candidate, bool better) {
  if (better) to_ask_.clear();
  for (Candidate& near : neighbours_of(candidate, space_)) {
    if (space_.index_of(near)) to_ask_.push_back(std::move(near));
  }
}

void NearSearch::bounded(const Candidate& candidate) {
  if (asked_.erase(candidate) > 0) bounded_.push_back(candidate);
}

std::optional<BoundSearch::Task> NearSearch::next(BoundSearch& search) {
  while (!bounded_.empty()) {
    const Candidate candidate = take_first(bounded_);
    if (search.evaluate(candidate)) return BoundSearch::Task{candidate, BoundSearch::Step::evaluate};
  }
  while (!to_ask_.empty()) {
    const Candidate candidate = take_first(to_ask_);
    if (search.ask(candidate, first_bound_ ? first_bound_(candidate) : 0)) {
      asked_.insert(candidate);
      return BoundSearch::Task{candidate, BoundSearch::Step::bound};
    }
    if (search.evaluate(candidate)) return BoundSearch::Task{candidate, BoundSearch::Step::evaluate};
  }
  return std::nullopt;
}

}  // namespace foretile
