// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/device_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/plan/landing.hpp"
#include "planner/verify/host_memory.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

std::int64_t sum(const std::vector<std::int64_t>& of_steps, std::size_t first, std::size_t last) {
  return std::accumulate(of_steps.begin() + static_cast<std::ptrdiff_t>(first),
                         of_steps.begin() + static_cast<std::ptrdiff_t>(last) + 1, std::int64_t{0});
}

}  // namespace

std::vector<std::int64_t> worst_on_devices(const Plan& plan, const Messages& messages, Rank rank) {
  const std::size_t devices = plan.ranks[static_cast<std::size_t>(rank)].devices.size();
  std::vector<std::int64_t> worst;
  for (std::size_t device = 0; device < devices; ++device) {
    const auto comes_here = [&](const Messages::Sized& sized) {
      return landing_device(sized.owner, sized.number, devices) == Device::of(device);
    };
    worst.push_back(worst_received(plan, messages, rank, comes_here).bytes());
  }
  return worst;
}

StepMessages::StepMessages(const Plan& plan, const Messages& messages, Rank rank)
    : bytes_(plan.ranks[static_cast<std::size_t>(rank)].devices.size(),
             std::vector<std::int64_t>(plan.steps.size(), 0)) {
  if (!plan.messages_on_devices()) return;
  const int steps = static_cast<int>(plan.steps.size());
  messages.for_each_to(rank, [&](const Messages::Sized& sized) {
    std::vector<std::int64_t>& of_device =
        bytes_[static_cast<std::size_t>(landing_device(sized.owner, sized.number, bytes_.size()))];
    const int end = std::min(int{sized.message->last_step} + 1, steps);
    for (int step = sized.message->step; step < end; ++step)
      of_device[static_cast<std::size_t>(step)] += sized.bytes;
  });
}

std::int64_t StepMessages::most(std::size_t first, std::size_t last) const {
  std::int64_t most = 0;
  for (const std::vector<std::int64_t>& of_device : bytes_)
    most = std::max(most, sum(of_device, first, last));
  return most;
}

std::vector<std::int64_t> StepMessages::worst(const std::vector<Step>& open_from) const {
  std::vector<std::int64_t> worst(bytes_.size(), 0);
  for (std::size_t device = 0; device < bytes_.size(); ++device) {
    for (std::size_t last = 0; last < open_from.size(); ++last)
      worst[device] = std::max(worst[device], sum(bytes_[device], open_from[last], last));
  }
  return worst;
}

std::vector<StepMessages> step_messages(const Plan& plan, const Contraction& contraction) {
  const Messages messages(plan, contraction, Owners(plan, contraction));
  std::vector<StepMessages> of_ranks;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    of_ranks.emplace_back(plan, messages, Rank::of(rank));
  return of_ranks;
}

MissingMemory missing_for_messages(std::string_view where, std::int64_t needed, std::int64_t there) {
  return missing_memory(where,
                        fmt::format("messages of {} at once in a device's memory", spelled_bytes(needed)),
                        fmt::format("at most the {} that are kept for them", spelled_bytes(there)),
                        needed - there, "receive messages in host memory: platform.messages=host");
}

std::int64_t most_on_a_device(const Plan& plan, const Contraction& contraction) {
  const Messages messages(plan, contraction, Owners(plan, contraction));
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (const std::int64_t bytes : worst_on_devices(plan, messages, Rank::of(rank)))
      most = std::max(most, bytes);
  }
  return most;
}

namespace {

class DeviceMessagesPass final : public VerifyPass {
 public:
  explicit DeviceMessagesPass(const VerifyView& view) : VerifyPass(view) {}

  void close(Rank rank) override {
    if (!plan_.messages_on_devices()) return;
    const std::vector<std::int64_t> worst =
        plan_.flows() ? StepMessages(plan_, view_.messages, rank).worst(plan_.open_from)
                      : worst_on_devices(plan_, view_.messages, rank);
    for (std::size_t device = 0; device < worst.size(); ++device) check(rank, device, worst[device]);
  }
  void finish(PlanSummary& summary) override { summary.peak_device_message_bytes = most_; }

 private:
  void check(Rank rank, std::size_t device, std::int64_t bytes) {
    most_ = std::max(most_, bytes);
    if (bytes <= plan_.device_message_bytes) return;
    throw missing_for_messages(fmt::format("plan, rank {} device {}", rank, device), bytes,
                               plan_.device_message_bytes);
  }

  std::int64_t most_ = 0;
};

}  // namespace

Pass device_messages_pass(const VerifyView& view) {
  return std::make_unique<DeviceMessagesPass>(view);
}

}  // namespace foretile
