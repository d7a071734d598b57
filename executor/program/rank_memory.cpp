// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/rank_memory.hpp"

#include <algorithm>
#include <cstddef>

#include "executor/cpu/blas.hpp"
#include "executor/run.hpp"

namespace foretile {

namespace {

/// On cores tiles of C are computed where they are kept for the additions, so they count once. Those
/// without a product, which plans leave out, are too few to count.
RankMemory on_cores(const LevelPlan& level, const LevelMoves& moves) {
  const std::int64_t of_plan = level.work ? level.work->summary.peak_host_bytes : 0;
  const std::int64_t all = moves.memory_beside_plan() + of_plan - moves.c_bytes;
  return {all, all};
}

/// On GPUs all but the tensors is in pinned memory.
RankMemory of_flow(const FlowPlan& flow, bool cores, bool devices_too) {
  const PlanSummary& plan = flow.work.summary;
  const std::int64_t devices = flow.work.machine.devices_per_rank * plan.peak_device_bytes;
  if (cores) return {plan.peak_host_bytes, plan.peak_host_bytes};
  const std::int64_t pinned = pool_bytes_for(plan.peak_matrix_bytes);
  return {plan.peak_tensor_bytes + pinned + (devices_too ? devices : 0), plan.peak_tensor_bytes};
}

RankMemory on_gpus(const LevelPlan& level, const LevelMoves& moves, bool devices_too) {
  const std::int64_t beside = moves.memory_beside_plan();
  if (!level.work) return {beside, beside};
  const PlanSummary& plan = level.work->summary;
  const std::int64_t devices = level.work->machine.devices_per_rank * plan.peak_device_bytes;
  return {beside + plan.peak_host_bytes + (devices_too ? devices : 0), beside};
}

}  // namespace

RankMemory memory_of(const PlannedProgram& plans, const Machine& machine, GpuChoice gpus, Rank rank) {
  const bool cores = machine.platform.device.kind == DeviceKind::core;
  const bool devices_too = gpus == GpuChoice::stand_in || gpus == GpuChoice::none;
  RankMemory most;
  if (plans.flow) most = of_flow(*plans.flow, cores, devices_too);
  for (const LevelPlan& level : plans.levels) {
    const LevelMoves& moves = level.moves[static_cast<std::size_t>(static_cast<int>(rank))];
    const RankMemory now = cores ? on_cores(level, moves) : on_gpus(level, moves, devices_too);
    most = {std::max(most.host, now.host), std::max(most.heap, now.heap)};
  }
  most.host += pool_bytes_for(most.heap) - most.heap;
  if (cores || gpus == GpuChoice::none) most.host += machine.cores_per_rank() * kBlasBufferBytes;
  return most;
}

}  // namespace foretile
