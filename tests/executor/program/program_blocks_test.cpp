// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "executor/gpu/stand_in.hpp"
#include "executor/program/program_tasks.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/tensor/program_text.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::program_blocks_test {
namespace {

/// 4 and 16 spin orbitals: R has 16 x 16 elements, S 4 x 16. Of R blocks of alpha are stored: 8 x 8.
TEST(GatheredBytes, AreThoseOfResultsAndOfTheLargestOnesBlocks) {
  const FusedProgram program(
      parse_program(
          "space h = occupied\nspace p = virtual\ntensor x[p|p]\ntensor y[h|p]\nresult R[p|p]\n"
          "result S[h|p]\nfirst: R[p1,p2] += x[p1,p3] x[p3,p2]\nsecond: S[h1,p2] += y[h1,p3] x[p3,p2]\n",
          "test"),
      {2, 8, 2}, "test");
  const SpinOrbitals orbitals(program.tiles());
  EXPECT_EQ(gathered_bytes(program, orbitals), 8 * (256 + 64 + 64));
}

/// t[a,b,i,j] = t[b,a,j,i], and c[a,b,x] = c[b,a,x]; other orders differ.
TEST(SeededNumbers, HaveTheSymmetryOfTheTensor) {
  const FusedProgram program(
      parse_program("orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\n"
                    "tensor t[a,a,i,i] pair\ntensor c[a,a,x] symmetric 1 2\nresult R[i,i,x]\n"
                    "r: R[i1,i2,x] += t[a1,a2,i1,i2] c[a1,a2,x]\n",
                    "test"),
      {.occupied = 3, .virtuals = 4, .tile = 2, .vectors = 5}, "test");
  const SpinOrbitals orbitals(program.tiles());
  const SeededNumbers numbers(orbitals, 7);
  const auto value = [&](const std::string& name, const std::vector<std::int64_t>& at) {
    const auto tensor = std::ranges::find(program.tensors(), name, &ProgramTensor::name);
    double number = 0;
    numbers.fill(*tensor, at, std::vector<std::int64_t>(at.size(), 1), &number);
    return number;
  };
  EXPECT_EQ(value("t", {3, 1, 2, 0}), value("t", {1, 3, 0, 2}));
  EXPECT_NE(value("t", {3, 1, 2, 0}), value("t", {1, 3, 2, 0}));
  EXPECT_EQ(value("c", {3, 1, 4}), value("c", {1, 3, 4}));
  EXPECT_NE(value("c", {3, 1, 4}), value("c", {3, 1, 3}));
}

/// A device permutes into page-locked memory alone: one block of 2 x 2 fits the pool, the second does not.
TEST(ProgramTasks, GiveDevicesPlacesThatArePinned) {
  const FusedProgram program(
      parse_program("orbitals = spatial\nspace a = virtual\ntensor x[a,a]\nresult R[a,a]\n"
                    "r: R[a1,a2] += x[a1,a3] x[a3,a2]\n",
                    "test"),
      {.occupied = 1, .virtuals = 4, .tile = 2}, "test");
  const ProgramPlan plan = plan_program(program, {.ranks = 1}, flow_machine(1, 1), {}, ProgramMode::levels);
  StandInGpus gpus({.count = 1});
  PinnedPool pool(gpus, 32);
  ProgramBlocks blocks(program, plan.distribution, 0, &pool);
  const SpinOrbitals orbitals(program.tiles());
  const SeededNumbers numbers(orbitals, 7);
  const GivenBlocks given(program, orbitals, numbers);
  ProgramTasks tasks(program, plan.work.plan, blocks, given, false);
  std::vector<FlowTask> additions;
  std::ranges::copy_if(plan.work.plan.ranks[0].flow.tasks, std::back_inserter(additions), &FlowTask::adds);
  ASSERT_GE(additions.size(), 2U);
  EXPECT_NE(tasks.tensor_place(additions[0], true), nullptr);
  EXPECT_EQ(tasks.tensor_place(additions[1], true), nullptr);
  EXPECT_FALSE(blocks.has(block_of(plan.work.plan.tensors, additions[1].writes.id)));
  EXPECT_NE(tasks.tensor_place(additions[1], false), nullptr);
  EXPECT_EQ(tasks.permuted_store(additions[0]).extents, (std::vector<std::int64_t>{2, 2}));
}

}  // namespace
}  // namespace foretile::program_blocks_test
