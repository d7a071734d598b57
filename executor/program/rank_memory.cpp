// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/rank_memory.hpp"

#include "executor/cpu/blas.hpp"
#include "executor/run.hpp"

namespace foretile {

RankMemory memory_of(const ProgramPlan& plan, GpuChoice gpus) {
  const PlanSummary& summary = plan.work.summary;
  const Machine& machine = plan.work.machine;
  const bool cores = machine.platform.device.kind == DeviceKind::core;
  RankMemory memory{.host = 0, .heap = cores ? summary.peak_host_bytes : summary.peak_tensor_bytes};
  memory.host = pool_bytes_for(memory.heap);
  if (!cores) memory.host += pool_bytes_for(summary.peak_matrix_bytes);
  if (!cores && (gpus == GpuChoice::stand_in || gpus == GpuChoice::none))
    memory.host += machine.devices_per_rank * summary.device_bytes();
  if (cores || gpus == GpuChoice::none) memory.host += machine.cores_per_rank() * kBlasBufferBytes;
  return memory;
}

}  // namespace foretile
