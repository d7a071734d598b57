// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_traffic.hpp"

#include <gtest/gtest.h>

#include "planner/program/choose_plan.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::term_traffic_test {
namespace {

/// All messages are for some term, by every strategy and in both modes; on one node none leaves it.
TEST(TermTraffic, HasAllThatIsSent) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  for (const int ranks_per_node : {1, 2, 4}) {
    Machine machine = flow_machine(4, 1);
    machine.ranks_per_node = ranks_per_node;
    for (const char* const strategy : {"owner-computes-c", "owner-b", "grid-3d"}) {
      for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
        SCOPED_TRACE(testing::Message() << ranks_per_node << " " << strategy << " " << name_of(mode));
        const ProgramPlan plan = choose_plan(program, machine, {{"strategy", strategy}}, {mode});
        SentBytes sum;
        for (const TermTraffic& term : traffic_of_terms(plan, program.terms().size())) sum += term.all();
        EXPECT_EQ(sum.all, plan.sent_bytes());
        EXPECT_EQ(sum.between_nodes == sum.all, ranks_per_node == 1);
        EXPECT_EQ(sum.between_nodes == 0, ranks_per_node == 4);
      }
    }
  }
}

/// R = x y of 2 x 2 x 2 tiles with 32 bytes on two ranks: x is sent once, as in
/// BlockOwners.AreRanksThatNeedTheBlocks.
TEST(TermTraffic, TellsOperandsApart) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                           "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const auto traffic = traffic_of_terms(choose_plan(program, flow_machine(2, 1), {}, {}), 1);
  ASSERT_EQ(traffic.size(), 1U);
  EXPECT_EQ(traffic[0].a.all + traffic[0].b.all, 128);
  EXPECT_EQ(std::min(traffic[0].a.all, traffic[0].b.all), 0);
  EXPECT_EQ(traffic[0].c.all, 0);
}

}  // namespace
}  // namespace foretile::term_traffic_test
