// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/bound_search.hpp"

#include <algorithm>

namespace foretile {

Box box_of(const Candidate& candidate, double bound_s) {
  return {bound_s, [left = std::optional(candidate)]() mutable { return std::exchange(left, std::nullopt); }};
}

BoundSearch::BoundSearch(std::vector<Box> boxes, Goal goal) : goal_(goal) {
  for (Box& box : boxes) {
    const std::optional<Candidate> first = box.next();
    if (!first) continue;
    open_boxes_.emplace(box.bound_s, boxes_.size());
    boxes_.push_back({std::move(box), first});
  }
}

std::optional<BoundSearch::Task> BoundSearch::next(bool evaluate_first) {
  while (true) {
    const bool bound = useful(open_boxes_);
    if (useful(to_evaluate_) &&
        (evaluate_first || !bound || to_evaluate_.begin()->first <= open_boxes_.begin()->first)) {
      const std::size_t number = to_evaluate_.begin()->second;
      to_evaluate_.erase(to_evaluate_.begin());
      return Task{known_[number].candidate, Step::evaluate};
    }
    if (!bound) return std::nullopt;
    if (const auto candidate = take_from(open_boxes_.begin()->second)) return Task{*candidate, Step::bound};
  }
}

bool BoundSearch::ask(const Candidate& candidate, double bound_s) {
  if (!useful(bound_s) || !numbers_.try_emplace(candidate, known_.size()).second) return false;
  open_.emplace(bound_s, known_.size());
  known_.push_back({candidate, bound_s});
  return true;
}

bool BoundSearch::evaluate(const Candidate& candidate) {
  const auto known = numbers_.find(candidate);
  if (known == numbers_.end()) return false;
  const double bound_s = known_[known->second].bound_s;
  return useful(bound_s) && to_evaluate_.erase({bound_s, known->second}) > 0;
}

/// The next candidate of the box, unless it came before.
std::optional<Candidate> BoundSearch::take_from(std::size_t box) {
  OpenBox& from = boxes_[box];
  const double bound_s = from.box.bound_s;
  const Candidate candidate = *from.ahead;
  from.ahead = from.box.next();
  if (!from.ahead) open_boxes_.erase({bound_s, box});
  const auto [known, is_new] = numbers_.try_emplace(candidate, known_.size());
  if (is_new) {
    known_.push_back({candidate, bound_s});
  } else if (Known& failed = known_[known->second]; failed.failed && failed.bound_s < bound_s) {
    open_.erase({failed.bound_s, known->second});
    failed.bound_s = bound_s;
  } else {
    return std::nullopt;
  }
  open_.emplace(bound_s, known->second);
  return is_new ? std::optional(candidate) : std::nullopt;
}

void BoundSearch::tell_bound(const Candidate& candidate, double bound_s, const std::string& plan) {
  const std::size_t number = numbers_.at(candidate);
  double& own_s = known_[number].bound_s;
  open_.erase({own_s, number});
  own_s = std::max(own_s, bound_s);
  if (!plan.empty()) {
    known_[number].plan = plan;
    if (known_plans_.contains(plan)) return;
    std::set<std::size_t>& same = of_plan_[plan];
    same.insert(number);
    if (same.size() > 1) return;  // the first of them stands for all
  }
  to_evaluate_.emplace(own_s, number);
  open_.emplace(own_s, number);
}

void BoundSearch::tell_same(const Candidate& candidate, const Candidate& other) {
  const std::size_t number = numbers_.at(candidate);
  known_[number].same_as = numbers_.at(other);
  close(number);
}

void BoundSearch::tell(const Candidate& candidate, const Outcome& outcome) {
  if (outcome.done()) best_s_ = std::min(best_s_, cost_of(outcome, goal_));
  const auto [known, is_new] = numbers_.try_emplace(candidate, known_.size());
  const std::size_t number = known->second;
  if (is_new) known_.push_back({candidate});
  if (outcome.status == Outcome::Status::failed) {
    known_[number].failed = true;
    to_evaluate_.erase({known_[number].bound_s, number});
    return;
  }
  know_plan(plan_of(outcome));
  std::string& plan = known_[number].plan;
  if (plan.empty()) plan = plan_of(outcome);
  know_plan(plan);
  close(number);
}

void BoundSearch::know_plan(const std::string& plan) {
  if (plan.empty() || !known_plans_.insert(plan).second) return;
  const auto same = of_plan_.find(plan);
  if (same == of_plan_.end()) return;
  for (const std::size_t number : same->second) close(number);
  of_plan_.erase(same);
}

void BoundSearch::close(std::size_t number) {
  const Place place{known_[number].bound_s, number};
  to_evaluate_.erase(place);
  open_.erase(place);
}

std::optional<Candidate> BoundSearch::same_as(const Candidate& candidate) const {
  const auto number = numbers_.find(candidate);
  if (number == numbers_.end() || !known_[number->second].same_as) return std::nullopt;
  return known_[*known_[number->second].same_as].candidate;
}

std::vector<Candidate> BoundSearch::with_plan(const std::string& plan) const {
  std::vector<Candidate> same;
  for (std::size_t number = 0; number < known_.size(); ++number) {
    if (!plan.empty() && known_[known_[number].same_as.value_or(number)].plan == plan)
      same.push_back(known_[number].candidate);
  }
  return same;
}

double BoundSearch::least_open_s() const {
  double least_s = std::numeric_limits<double>::infinity();
  if (!open_.empty()) least_s = open_.begin()->first;
  if (!open_boxes_.empty()) least_s = std::min(least_s, open_boxes_.begin()->first);
  return least_s;
}

}  // namespace foretile
