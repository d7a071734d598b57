// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/memory_check.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "executor/cpu/blas.hpp"
#include "planner/plan/devices.hpp"
#include "platforms/here.hpp"

namespace foretile {

std::int64_t available_memory_bytes() {
  if (const auto said = said_memory_bytes()) return *said;
  std::ifstream in("/proc/meminfo");
  for (std::string key, unit; in >> key;) {
    std::int64_t kib = 0;
    if (!(in >> kib)) break;
    if (key == "MemAvailable:") return kib * 1024;
    std::getline(in, unit);
  }
  return std::numeric_limits<std::int64_t>::max();  // unknown
}

int multiplying_cores(const PlannedWork& work) {
  const bool on_cores = work.machine.platform.device.kind == DeviceKind::core;
  return on_cores ? work.machine.cores_per_rank() : cores_beside(work.plan, work.machine);
}

std::int64_t blas_bytes(const PlannedWork& work) {
  return multiplying_cores(work) * kBlasBufferBytes;
}

void require_free_memory(std::int64_t rank_bytes, int ranks_on_node, std::int64_t available,
                         std::string_view advice) {
  if (rank_bytes <= available / ranks_on_node) return;
  throw input_error("this node", fmt::format("{} bytes of free memory", available),
                    fmt::format("{} bytes, needed by {} ranks of {} bytes each", ranks_on_node * rank_bytes,
                                ranks_on_node, rank_bytes),
                    fmt::format("{} bytes are missing: {}", ranks_on_node * rank_bytes - available, advice));
}

void require_memory(const PlannedWork& work, int ranks_on_node, bool devices_too, std::int64_t available) {
  const std::int64_t device_bytes = work.machine.devices_per_rank * work.summary.peak_device_bytes;
  const std::int64_t rank_bytes =
      work.summary.peak_host_bytes + (devices_too ? device_bytes : 0) + blas_bytes(work);
  require_free_memory(rank_bytes, ranks_on_node, available,
                      fmt::format("use more nodes, a smaller problem, or plan with a lower {}",
                                  work.plan.advice.smaller_ranks));
}

}  // namespace foretile
