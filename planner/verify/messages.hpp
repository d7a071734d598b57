// Messages on their own, by receiver.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/verify/owners_table.hpp"

namespace foretile {

/// All messages, by receiver. Throws InputError for one that makes no sense on its own: no tiles, tiles that
/// the sender does not own, no such rank, steps that end before they begin. With global barriers a rank sends
/// in the order of the steps: else one that waits for a late step would hold back those that must end first.
class Messages {
 public:
  Messages(const Plan& plan, const Contraction& contraction, const Owners& owners);
  /// In sending order of each sender.
  const std::vector<const Transfer*>& to(int rank) const { return to_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<const Transfer*>> to_;
};

}  // namespace foretile
