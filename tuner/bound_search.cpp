#include "tuner/bound_search.hpp"

#include <algorithm>

namespace foretile {

BoundSearch::BoundSearch(std::vector<Bounded> candidates)
    : candidates_(std::move(candidates)), plans_(candidates_.size()) {
  for (std::size_t number = 0; number < candidates_.size(); ++number) {
    numbers_[candidates_[number].candidate] = number;
    to_bound_.emplace(candidates_[number].bound_s, number);
  }
  open_ = to_bound_;
}

std::optional<BoundSearch::Task> BoundSearch::next(bool evaluate_first) {
  const auto useful = [this](const std::set<Place>& places) {
    return !places.empty() && places.begin()->first < best_s_;
  };
  const bool evaluate = useful(to_evaluate_) && (evaluate_first || !useful(to_bound_) ||
                                                 to_evaluate_.begin()->first <= to_bound_.begin()->first);
  if (!evaluate && !useful(to_bound_)) return std::nullopt;
  std::set<Place>& places = evaluate ? to_evaluate_ : to_bound_;
  const std::size_t number = places.begin()->second;
  places.erase(places.begin());
  return Task{candidates_[number].candidate, evaluate ? Step::evaluate : Step::bound};
}

void BoundSearch::tell_bound(const Candidate& candidate, double bound_s, const std::string& plan) {
  const auto known = numbers_.find(candidate);
  if (known == numbers_.end()) return;
  const std::size_t number = known->second;
  double& own_s = candidates_[number].bound_s;
  to_bound_.erase({own_s, number});
  open_.erase({own_s, number});
  own_s = std::max(own_s, bound_s);
  if (plan.empty()) {
    to_evaluate_.emplace(own_s, number);
    open_.emplace(own_s, number);
    return;
  }
  plans_[number] = plan;
  if (known_plans_.contains(plan)) return;
  std::set<std::size_t>& same = of_plan_[plan];
  same.insert(number);
  if (same.size() > 1) return;  // the first of them stands for all
  to_evaluate_.emplace(own_s, number);
  open_.emplace(own_s, number);
}

void BoundSearch::tell(const Candidate& candidate, const Outcome& outcome) {
  if (outcome.done()) best_s_ = std::min(best_s_, outcome.makespan_s);
  const auto known = numbers_.find(candidate);
  if (outcome.status == Outcome::Status::failed) {
    if (known == numbers_.end()) return;
    const Place place{candidates_[known->second].bound_s, known->second};
    to_bound_.erase(place);
    to_evaluate_.erase(place);
    return;
  }
  know_plan(plan_of(outcome));
  if (known == numbers_.end()) return;
  std::string& plan = plans_[known->second];
  if (plan.empty()) plan = plan_of(outcome);
  know_plan(plan);
  close(known->second);
}

void BoundSearch::know_plan(const std::string& plan) {
  if (plan.empty() || !known_plans_.insert(plan).second) return;
  const auto same = of_plan_.find(plan);
  if (same == of_plan_.end()) return;
  for (const std::size_t number : same->second) close(number);
  of_plan_.erase(same);
}

void BoundSearch::close(std::size_t number) {
  const Place place{candidates_[number].bound_s, number};
  to_bound_.erase(place);
  to_evaluate_.erase(place);
  open_.erase(place);
}

std::vector<Candidate> BoundSearch::with_plan(const std::string& plan) const {
  std::vector<Candidate> same;
  for (std::size_t number = 0; number < candidates_.size(); ++number) {
    if (!plan.empty() && plans_[number] == plan) same.push_back(candidates_[number].candidate);
  }
  return same;
}

double BoundSearch::least_open_s() const {
  return open_.empty() ? std::numeric_limits<double>::infinity() : open_.begin()->first;
}

}  // namespace foretile
