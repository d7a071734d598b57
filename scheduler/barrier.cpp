// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/barrier.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/transfer.hpp"

namespace foretile {

Barrier::Barrier(Barriers kind, Rank rank, int ranks, Send send)
    : kind_(rank < ranks ? kind : Barriers::none),
      rank_(rank),
      children_(tree_children(Tree::binomial, rank, ranks)),
      below_(children_.size(), 0),
      send_(std::move(send)) {}

void Barrier::ended_before(Step step) {
  if (step == here_) return;
  here_ = step;
  if (kind_ == Barriers::global) pass_on();
}

void Barrier::signalled(const Signal& signal) {
  if (signal.down) {
    if (signal.step <= everywhere_) return;
    everywhere_ = signal.step;
    for (const int child : children_) send_(Rank::of(child), {rank_, everywhere_, true, {}});
    return;
  }
  const auto child = std::find(children_.begin(), children_.end(), signal.from_rank) - children_.begin();
  Step& below = below_[static_cast<std::size_t>(child)];
  below = std::max(below, signal.step);
  pass_on();
}

void Barrier::pass_on() {
  Step least = here_;
  for (const Step step : below_) least = std::min(least, step);
  if (least == notified_) return;
  notified_ = least;
  if (rank_ == 0) {
    signalled({rank_, least, true, {}});
  } else {
    send_(Rank::of(tree_parent(Tree::binomial, rank_)), {rank_, least, false, {}});
  }
}

}  // namespace foretile
