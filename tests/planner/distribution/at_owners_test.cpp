// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/at_owners.hpp"

#include <gtest/gtest.h>

#include "planner/program/choose_plan.hpp"
#include "planner/program/term_traffic.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/tensor/program_text.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::at_owners_test {
namespace {

constexpr const char* kHead =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\ntensor D[a,x]\ntensor "
    "y[a,i]\nresult R[a,i]\n";

FusedProgram program_of(const std::string& terms) {
  return {parse_program(kHead + terms, "test"), {2, 8, 2, 2, 2}, "test"};
}

std::vector<bool> may(const std::string& terms, const ProgramDistribution& distribution = {},
                      const Settings& settings = {}) {
  return may_be_at_owners(program_of(terms), distribution, settings_for_terms(settings));
}

const std::string kMake = "l: X[a1,a2] += D[a1,x1] D[a2,x1]\n", kUse = "p: R[a1,i1] += X[a1,a2] y[a2,i1]\n";

TEST(AtOwners, MayBeWhatAProductReadsAndOneTermWrites) {
  EXPECT_EQ(may(kMake + kUse), (std::vector<bool>{true, false}));
  EXPECT_EQ(may(kMake + kUse, {.split_k = {2, 1}}), (std::vector<bool>{false, false}));
  EXPECT_EQ(may(kMake + kUse, {}, {{"strategy", "owner-b"}}), (std::vector<bool>{false, false}));
  EXPECT_EQ(may(kMake + "m: X[a1,a2] += 2 D[a1,x1] D[a2,x1]\n" + kUse),
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(may(kMake + "z: Z[a1,a2] += X[a1,a2]\nq: R[a1,i1] += Z[a1,a2] y[a2,i1]\n"),
            (std::vector<bool>{false, false, false}));
}

/// X has 4 x 4 tiles of 32 bytes, of which 10 are stored, D four of 32 bytes. All of X on one of four ranks
/// is uneven. Where each rank has a row, it needs all of D: fewer bytes than X, which stays.
TEST(AtOwners, AreWorthItWhereLessIsSent) {
  const FusedProgram program = program_of(kMake + kUse);
  const Machine machine = flow_machine(4, 1);
  ProgramDistribution distribution{.ranks = 4, .at_owners = {true, false}};
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor)
    distribution.owners.emplace_back(static_cast<std::size_t>(program.blocks(tensor).count()), Rank(0));
  const auto worth = [&] {
    return worth_being_at_owners(program, distribution, machine, settings_for_terms({}));
  };
  EXPECT_EQ(worth(), (std::vector<bool>{false, false}));
  const std::size_t x = program.terms()[0].result;
  for (std::size_t block = 0; block < distribution.owners[x].size(); ++block)
    distribution.owners[x][block] = Rank::of(block % 4);
  EXPECT_EQ(worth(), (std::vector<bool>{true, false}));
}

/// Then no tile of X is sent to where it is kept.
TEST(AtOwners, SendNoTilesOfC) {
  const FusedProgram program = program_of(kMake + kUse);
  const Machine machine = flow_machine(4, 1);
  ProgramDistribution distribution{.ranks = 4, .at_owners = {true, false}};
  const ProgramPlan plan = plan_program(program, distribution, machine, {}, ProgramMode::levels);
  const auto traffic = traffic_of_terms(plan, 2);
  EXPECT_EQ(traffic[0].c.all, 0);
  EXPECT_GT(traffic[0].all().all, 0);
  distribution.at_owners = {};
  EXPECT_GT(
      traffic_of_terms(plan_program(program, distribution, machine, {}, ProgramMode::levels), 2)[0].c.all, 0);
}

}  // namespace
}  // namespace foretile::at_owners_test
