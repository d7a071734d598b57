#include "tuner/bound_search.hpp"

#include <algorithm>
#include <tuple>

namespace foretile {

BoundSearch::BoundSearch(std::vector<Bounded> bounded) : bounded_(std::move(bounded)) {
  std::sort(bounded_.begin(), bounded_.end(), [](const Bounded& l, const Bounded& r) {
    return std::tie(l.bound_s, l.candidate) < std::tie(r.bound_s, r.candidate);
  });
  for (const Bounded& entry : bounded_) {
    names_[entry.candidate] = entry.plan;
    plans_[entry.plan];
  }
}

std::optional<Candidate> BoundSearch::next() {
  for (; next_ < bounded_.size() && bounded_[next_].bound_s < best_s_; ++next_) {
    PlanState& plan = plans_[bounded_[next_].plan];
    if (std::exchange(plan.proposed, true)) continue;
    return bounded_[next_++].candidate;
  }
  return std::nullopt;
}

void BoundSearch::tell(const Candidate& candidate, const Outcome& outcome) {
  if (outcome.done()) best_s_ = std::min(best_s_, outcome.makespan_s);
  if (outcome.status == Outcome::Status::failed) return;
  // An earlier run may have evaluated a plan for a candidate that has no bound here.
  const auto known = names_.find(candidate);
  const std::string name = known == names_.end() ? plan_of(outcome) : known->second;
  if (name.empty()) return;
  PlanState& plan = plans_[name];
  plan.proposed = plan.closed = true;
}

double BoundSearch::least_open_s() const {
  const auto open = std::find_if(bounded_.begin(), bounded_.end(),
                                 [this](const Bounded& entry) { return !plans_.at(entry.plan).closed; });
  return open == bounded_.end() ? std::numeric_limits<double>::infinity() : open->bound_s;
}

}  // namespace foretile
