// SPDX-License-Identifier: BSD-3-Clause
// The ends of steps: which step may be loaded for, and sent for.
#pragma once

#include <functional>
#include <vector>

#include "base/id.hpp"
#include "planner/plan/plan.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Local barriers look at the devices of the rank. Global ones are chained along a binomial tree of ranks
/// with rank 0 as root: ended steps are reported upwards, the minimum over all ranks goes down (RR-9289 2).
class Barrier {
 public:
  using Send = std::function<void(Rank to_rank, Signal)>;

  /// A rank from `ranks` on has no work: no rank waits for it, and it waits for none.
  Barrier(Barriers kind, Rank rank, int ranks, Send send);

  /// `step` is the first that is not over on this rank; kEver when all are. It never decreases.
  void ended_before(Step step);
  /// Signals may overtake each other: steps never decrease, so one that says less than an earlier one changes
  /// nothing.
  void signalled(const Signal& signal);

  /// First step that is not over wherever the plan's barriers look.
  Step first_open() const { return kind_ == Barriers::global ? everywhere_ : here_; }
  /// No more signals can come.
  bool over() const { return kind_ != Barriers::global || everywhere_ == kEver; }

 private:
  void pass_on();

  Barriers kind_;
  Rank rank_;
  std::vector<int> children_;  // ranks are positions in the tree
  std::vector<Step> below_;    // per child, the first step that is not over there
  Send send_;
  Step here_ = 0;
  Step notified_ = 0;  // up
  Step everywhere_ = 0;
};

}  // namespace foretile
