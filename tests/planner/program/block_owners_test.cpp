// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/block_owners.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/program/choose_plan.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::block_owners_test {
namespace {

/// R = x y of 2 x 2 x 2 tiles with 32 bytes on two ranks. The grid is 1 x 2: each rank computes a column of
/// R, for which it needs its column of y and all of x. So x is sent once, 128 bytes, and nothing else.
TEST(BlockOwners, AreRanksThatNeedTheBlocks) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                           "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const Machine machine = flow_machine(2, 1);
  const auto chosen = [&](ProgramMode mode) { return choose_distribution(program, {}, machine, {}, mode); };
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow})
    EXPECT_EQ(plan_program(program, chosen(mode), machine, {}, mode).sent_bytes(), 128);
}

/// R = w + a copy: each block of w is where that of R is, which nothing else wants.
TEST(BlockOwners, FollowCopies) {
  const FusedProgram program(parse_program("space p = virtual\ntensor w[p|p]\nresult R[p|p]\n"
                                           "c: R[p1,p2] += w[p1,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const ProgramDistribution chosen =
      choose_distribution(program, {}, flow_machine(3, 1), {}, ProgramMode::levels);
  const auto& owners = chosen.owners;
  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[0], owners[1]);
  EXPECT_EQ(plan_program(program, chosen, flow_machine(3, 1), {}, ProgramMode::levels).sent_bytes(), 0);
}

/// The doubles residual on two to five ranks, with owner-computes-c and with a strategy that moves tiles
/// before it multiplies them: less is sent than with blocks round-robin, and no rank has more of a tensor
/// than its share and one block.
TEST(BlockOwners, SendLessThanRoundRobin) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  for (const Settings& settings : {Settings{}, Settings{{"strategy", "owner-b"}}}) {
    for (int ranks = 2; ranks <= 5; ++ranks) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << settings.size() << " settings");
      const Machine machine = flow_machine(ranks, 2);
      const std::int64_t round_robin =
          plan_program(program, {.ranks = ranks}, machine, settings, ProgramMode::levels).sent_bytes();
      const ProgramDistribution chosen =
          choose_distribution(program, {}, machine, settings, ProgramMode::levels);
      EXPECT_LT(plan_program(program, chosen, machine, settings, ProgramMode::levels).sent_bytes(),
                round_robin);
      for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
        std::vector<std::int64_t> of_rank(static_cast<std::size_t>(ranks), 0);
        std::int64_t all = 0, largest = 0;
        for (BlockId block = 0; block < program.blocks(tensor).count(); ++block) {
          const std::int64_t bytes = program.bytes(tensor, block);
          of_rank[chosen.owner_of({tensor, block})] += bytes;
          all += bytes;
          largest = std::max(largest, bytes);
        }
        EXPECT_LE(*std::ranges::max_element(of_rank), all / ranks + largest);
      }
    }
  }
}

}  // namespace
}  // namespace foretile::block_owners_test
