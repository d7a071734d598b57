// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/rank_memory.hpp"

#include <gtest/gtest.h>

#include "executor/cpu/blas.hpp"
#include "executor/run.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::rank_memory_test {
namespace {

/// Rank 1 has 1000 bytes of blocks, receives 200, has 300 of tiles of C and receives 50. The plan needs 700
/// bytes in host memory and 90 on each of two devices.
PlannedProgram one_level(const Machine& machine) {
  PlannedProgram plans;
  LevelPlan& level = plans.levels.emplace_back();
  level.moves.resize(2);
  level.moves[1].blocks_bytes = 1000;
  level.moves[1].received_bytes = 200;
  level.moves[1].c_bytes = 300;
  level.moves[1].c_received_bytes = 50;
  const Tiling one = Tiling::uniform(4, 4);
  level.work.emplace(PlannedWork{
      {"", one, one, one, Shape::dense(1, 1), Shape::dense(1, 1), Shape::dense(1, 1)}, machine, {}, {}});
  level.work->summary.peak_host_bytes = 700;
  level.work->summary.peak_device_bytes = 90;
  return plans;
}

TEST(RankMemory, CountsTilesOfCOnceOnCores) {
  Machine machine = small_machine(2, 2, 1000, 10000, 2);
  machine.platform.device.kind = DeviceKind::core;
  const RankMemory memory = memory_of(one_level(machine), machine, GpuChoice::automatic, Rank(1));
  EXPECT_EQ(memory.heap, 1000 + 200 + 300 + 50 + 700 - 300);
  EXPECT_EQ(memory.host, pool_bytes_for(memory.heap) + machine.cores_per_rank() * kBlasBufferBytes);
}

TEST(RankMemory, HasPlansOfGpusBesideTheHeap) {
  const Machine machine = small_machine(2, 2, 1000, 10000, 2);
  ASSERT_EQ(machine.devices_per_rank, 2);
  const PlannedProgram plans = one_level(machine);
  const RankMemory memory = memory_of(plans, machine, GpuChoice::automatic, Rank(1));
  EXPECT_EQ(memory.heap, 1000 + 200 + 300 + 50);
  EXPECT_EQ(memory.host, pool_bytes_for(memory.heap) + 700);
  EXPECT_EQ(memory_of(plans, machine, GpuChoice::stand_in, Rank(1)).host, memory.host + 2 * 90);
}

/// The fuller of two levels, of each number.
TEST(RankMemory, IsOfTheFullestLevel) {
  const Machine machine = small_machine(2, 2, 1000, 10000, 2);
  PlannedProgram plans = one_level(machine);
  plans.levels.emplace_back().moves.resize(2);
  plans.levels[1].moves[1].blocks_bytes = 2000;
  const RankMemory memory = memory_of(plans, machine, GpuChoice::automatic, Rank(1));
  EXPECT_EQ(memory.heap, 2000);
  EXPECT_EQ(memory.host, pool_bytes_for(2000) - 2000 + 1550 + 700);
  EXPECT_EQ(memory_of(plans, machine, GpuChoice::automatic, Rank(0)).heap, 0);
}

}  // namespace
}  // namespace foretile::rank_memory_test
