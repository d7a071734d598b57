// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/memory_check.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/error.hpp"
#include "executor/cpu/blas.hpp"
#include "planner/plan/devices.hpp"
#include "platforms/free_memory.hpp"

namespace foretile {

int multiplying_cores(const PlannedWork& work) {
  const bool on_cores = work.machine.platform.device.kind == DeviceKind::core;
  return on_cores ? work.machine.cores_per_rank() : cores_beside(work.plan, work.machine);
}

std::int64_t blas_bytes(const PlannedWork& work) {
  return multiplying_cores(work) * kBlasBufferBytes;
}

void require_memory(const PlannedWork& work, int ranks_on_node, bool devices_too, std::int64_t available) {
  const std::int64_t device_bytes = work.machine.devices_per_rank * work.summary.device_bytes();
  const std::int64_t rank_bytes =
      work.summary.peak_host_bytes + (devices_too ? device_bytes : 0) + blas_bytes(work);
  require_free_memory(rank_bytes, ranks_on_node, available,
                      fmt::format("use more nodes, a smaller problem, or plan with a lower {}",
                                  work.plan.advice.smaller_ranks));
}

}  // namespace foretile
