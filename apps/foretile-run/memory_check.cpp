// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/memory_check.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "executor/cpu/blas.hpp"
#include "planner/plan/devices.hpp"
#include "platforms/free_memory.hpp"

namespace foretile {

namespace {

/// Measured with MPICH 4.0 and UCX 1.13 and 2 to 4 ranks on a node: 140 MB.
constexpr std::int64_t kMpiBytes = 160'000'000;

std::optional<std::int64_t> address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

/// Address space in use; 0 where nobody knows.
std::int64_t used_address_space() {
  std::ifstream in("/proc/self/statm");
  std::int64_t pages = 0;
  in >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

void start_with_one_blas_thread(char** argv) {
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  if (!address_space_limit() || std::getenv(kThreads)) return;
  ::setenv(kThreads, "1", 1);
  ::execv(own_program().c_str(), argv);
}

void require_room_for_mpi() {
  const std::optional<std::int64_t> limit = address_space_limit();
  const std::int64_t needed = used_address_space() + kMpiBytes;
  if (!limit || *limit >= needed) return;
  throw input_error("ulimit -v", fmt::format("an address space of {} bytes", *limit),
                    fmt::format("at least {} bytes of memory to start MPI", needed), "raise the limit");
}

int multiplying_cores(const PlannedWork& work) {
  const bool on_cores = work.machine.platform.device.kind == DeviceKind::core;
  return on_cores ? work.machine.cores_per_rank() : cores_beside(work.plan, work.machine);
}

std::int64_t blas_bytes(const PlannedWork& work) {
  return multiplying_cores(work) * kBlasBufferBytes;
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
