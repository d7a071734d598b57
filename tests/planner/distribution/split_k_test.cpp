// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/split_k.hpp"

#include <gtest/gtest.h>

#include "planner/strategies/strategy.hpp"
#include "planner/tensor/program_text.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::split_k_test {
namespace {

/// R has 4 x 4 tiles of alpha, K 16; tiles have 2 x 2 numbers, 32 bytes. A and B have 64 tiles each, 2048
/// bytes, R 512. On 16 ranks r pieces have 16 / r ranks each:
///   r   grid   A and B sent          R sent     together
///   1   4 x 4  4 * 2048 + 4 * 2048   1 * 512    16896
///   2   2 x 4  4 * 2048 + 2 * 2048   2 * 512    13312
///   4   2 x 2  2 * 2048 + 2 * 2048   4 * 512    10240
///   8   1 x 2  2 * 2048 + 1 * 2048   8 * 512    10240
///  16   1 x 1  1 * 2048 + 1 * 2048  16 * 512    12288
/// Of 4 and 8 the first is taken. w is only copied.
std::vector<int> pieces(const Machine& machine, const Settings& settings,
                        SplitKRule cut = SplitKRule::fastest) {
  const FusedProgram program(
      parse_program("space h = occupied\nspace p = virtual\ntensor x[h|p]\ntensor y[p|h]\ntensor w[h|h]\n"
                    "result R[h|h]\nr: R[h1,h2] += x[h1,p3] y[p3,h2]\nc: R[h1,h2] += w[h1,h2]\n",
                    "test"),
      {8, 32, 2}, "test");
  return choose_split_k(program, {.ranks = machine.ranks}, machine, settings, cut);
}

Machine machine_with_network() {
  Machine machine = flow_machine(16, 1);
  machine.platform.network.message.bandwidth_bytes_per_s = 1e9;
  return machine;
}

TEST(SplitK, SendLeast) {
  EXPECT_EQ(pieces(machine_with_network(), settings_for_terms({})), (std::vector<int>{4, 1}));
  EXPECT_EQ(pieces(machine_with_network(), settings_for_terms({}), SplitKRule::fewest),
            (std::vector<int>{1, 1}));
}

/// A byte takes 1 / 16e9 s on the network of 16 ranks and 1 / 16e7 s to be added on 16 cores: with one piece
/// 1.1 us and 3.2 us, with two 0.8 and 6.4.
TEST(SplitK, AreNotCutWhereAdditionsTakeLonger) {
  Machine machine = machine_with_network();
  machine.platform.addition_bytes_per_s_per_core = 1e7;
  ASSERT_EQ(machine.cores_per_rank(), 1);
  EXPECT_EQ(pieces(machine, settings_for_terms({})), (std::vector<int>{1, 1}));
}

/// The energy of a program with so many virtual orbitals in tiles of 2: K has a tile for each, of either
/// spin.
std::vector<int> pieces_of_scalar(int ranks, int virtuals, SplitKRule cut) {
  const FusedProgram program(
      parse_program("space h = occupied\nspace p = virtual\ntensor x[h|p]\ntensor y[p|h]\nresult e[]\n"
                    "e: e[] += x[h1,p2] y[p2,h1]\n",
                    "test"),
      {2, virtuals, 2}, "test");
  Machine machine = flow_machine(ranks, 1);
  machine.platform.network.message.bandwidth_bytes_per_s = 1e9;
  return choose_split_k(program, {.ranks = machine.ranks}, machine, settings_for_terms({}), cut);
}

/// One rank would receive all of A and B. Six tiles of K are for six ranks, though 16 has no divisor 6.
TEST(SplitK, GiveAllRanksSomethingToDo) {
  for (const SplitKRule cut : {SplitKRule::fastest, SplitKRule::fewest}) {
    EXPECT_EQ(pieces_of_scalar(16, 64, cut), std::vector<int>{16});
    EXPECT_EQ(pieces_of_scalar(16, 6, cut), std::vector<int>{6});
    EXPECT_EQ(pieces_of_scalar(7, 64, cut), std::vector<int>{7});
    EXPECT_EQ(pieces_of_scalar(1, 64, cut), std::vector<int>{1});
  }
}

TEST(SplitK, AreNotCutWithoutNeed) {
  EXPECT_EQ(pieces(flow_machine(16, 1), settings_for_terms({})), (std::vector<int>{1, 1}));
  EXPECT_EQ(pieces(flow_machine(1, 1), settings_for_terms({})), (std::vector<int>{1, 1}));
}

TEST(SplitK, AreNotCutWhereTheSettingsSayHowTheyAreSummed) {
  for (const Settings& settings :
       {Settings{{"chain_pieces", "1"}}, Settings{{"strategy", "grid-3d"}}, Settings{{"strategy", "auto"}}})
    EXPECT_EQ(pieces(machine_with_network(), settings_for_terms(settings)), (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace foretile::split_k_test
