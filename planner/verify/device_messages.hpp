// SPDX-License-Identifier: BSD-3-Clause
// The most bytes of broadcasts that a device holds for its rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/missing_memory.hpp"
#include "planner/plan/plan.hpp"
#include "planner/verify/messages.hpp"

namespace foretile {

/// By device of the rank: what has come to it (planner/plan/landing.hpp) at its worst moment, which is that
/// of worst_received() (planner/verify/host_memory.hpp).
std::vector<std::int64_t> worst_on_devices(const Plan& plan, const Messages& messages, Rank rank);

/// Where tiles flow: what comes to the rank's devices for each step. The plan's frame must make sense.
class StepMessages {
 public:
  StepMessages(const Plan& plan, const Messages& messages, Rank rank);
  /// Of the device with most, while steps `first` to `last` are under way.
  std::int64_t most(std::size_t first, std::size_t last) const;
  /// By device: the most while a step and all that are open with it (PlanFrame::open_from) are under way.
  std::vector<std::int64_t> worst(const std::vector<Step>& open_from) const;

 private:
  std::vector<std::vector<std::int64_t>> bytes_;  // by device and step
};

/// The same of all ranks.
std::vector<StepMessages> step_messages(const Plan& plan, const Contraction& contraction);

/// The refusal of messages that need more of a device than there is for them.
MissingMemory missing_for_messages(std::string_view where, std::int64_t needed, std::int64_t there);

/// The most of all devices of all ranks. Throws InputError for a message that makes no sense.
std::int64_t most_on_a_device(const Plan& plan, const Contraction& contraction);

}  // namespace foretile
