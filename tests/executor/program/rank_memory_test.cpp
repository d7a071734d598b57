// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/rank_memory.hpp"

#include <gtest/gtest.h>

#include "executor/cpu/blas.hpp"
#include "executor/run.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::rank_memory_test {
namespace {

/// Tensors take 1000 bytes of a rank and all else 700, together 1500, since they are not at their most at
/// once; each of two devices 90, 20 of them of messages.
ProgramPlan plan_for(const Machine& machine) {
  const Tiling one = Tiling::uniform(4, 4);
  ProgramPlan plan{
      .work = {
          {"", one, one, one, Shape::dense(1, 1), Shape::dense(1, 1), Shape::dense(1, 1)}, machine, {}, {}}};
  plan.work.summary.peak_host_bytes = 1500;
  plan.work.summary.peak_tensor_bytes = 1000;
  plan.work.summary.peak_matrix_bytes = 700;
  plan.work.summary.peak_device_bytes = 70;
  plan.work.summary.peak_device_message_bytes = 20;
  return plan;
}

TEST(RankMemory, IsOfTheHeapOnCores) {
  Machine machine = small_machine(2, 2, 1000, 10000, 2);
  machine.platform.device.kind = DeviceKind::core;
  const RankMemory memory = memory_of(plan_for(machine), GpuChoice::automatic);
  EXPECT_EQ(memory.heap, 1500);
  EXPECT_EQ(memory.host, pool_bytes_for(1500) + machine.cores_per_rank() * kBlasBufferBytes);
}

TEST(RankMemory, HasPinnedMemoryBesideTheHeapOnGpus) {
  const Machine machine = small_machine(2, 2, 1000, 10000, 2);
  ASSERT_EQ(machine.devices_per_rank, 2);
  const RankMemory memory = memory_of(plan_for(machine), GpuChoice::automatic);
  EXPECT_EQ(memory.heap, 1000);
  EXPECT_EQ(memory.host, pool_bytes_for(1000) + pool_bytes_for(700));
  EXPECT_EQ(memory_of(plan_for(machine), GpuChoice::stand_in).host, memory.host + 2 * 90);
  EXPECT_EQ(memory_of(plan_for(machine), GpuChoice::none).host,
            memory.host + 2 * 90 + machine.cores_per_rank() * kBlasBufferBytes);
}

}  // namespace
}  // namespace foretile::rank_memory_test
