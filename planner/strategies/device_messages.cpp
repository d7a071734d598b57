// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/device_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/verify/device_messages.hpp"

namespace foretile {

namespace {

constexpr const char* kOnHost = "receive messages in host memory: platform.messages=host";

}  // namespace

void require_gpus_alone(const PlanFrame& frame) {
  const bool cores = std::ranges::any_of(frame.device_classes,
                                         [](const DeviceClass& alike) { return alike.in_host_memory(); });
  if (cores)
    throw input_error("platform.messages", "\"device\", with cores that compute beside GPUs", "\"host\"",
                      "messages come to host memory then; or let cores compute nothing: sharing=off");
}

Machine without_memory_for_messages(const Machine& machine, std::int64_t bytes) {
  Machine less = machine;
  std::int64_t& memory = less.platform.device.memory_bytes;
  if (bytes >= memory)
    throw missing_memory("plan, device memory",
                         fmt::format("messages of {} at once in a device's memory", spelled_bytes(bytes)),
                         fmt::format("less than the device's {}", spelled_bytes(memory)), bytes - memory + 1,
                         kOnHost);
  memory -= bytes;
  return less;
}

Plan with_bytes_for_messages(Plan plan, std::int64_t bytes) {
  if (bytes > 0) require_gpus_alone(plan);
  plan.device_message_bytes = bytes;
  return plan;
}

Plan with_room_for_messages(const Contraction& contraction, const Machine& machine,
                            const std::function<Plan(const Machine&)>& plan) {
  constexpr int kAttempts = 4;
  Plan planned = plan(machine);
  require_gpus_alone(planned);
  std::int64_t kept = 0;
  for (int attempt = 0;; ++attempt) {
    const std::int64_t needed = most_on_a_device(planned, contraction);
    // The verifier says what is missing.
    if (needed <= kept || attempt == kAttempts) break;
    kept = needed;
    planned = plan(without_memory_for_messages(machine, kept));
  }
  return with_bytes_for_messages(std::move(planned), kept);
}

}  // namespace foretile
