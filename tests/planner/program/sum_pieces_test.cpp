// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/sum_pieces.hpp"

#include <gtest/gtest.h>

#include "planner/program/program_text.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::sum_pieces_test {
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
std::vector<int> pieces(const Machine& machine, const Settings& settings) {
  const FusedProgram program(
      parse_program("space h = occupied\nspace p = virtual\ntensor x[h|p]\ntensor y[p|h]\ntensor w[h|h]\n"
                    "result R[h|h]\nr: R[h1,h2] += x[h1,p3] y[p3,h2]\nc: R[h1,h2] += w[h1,h2]\n",
                    "test"),
      {8, 32, 2}, "test");
  return choose_sum_pieces(program, machine, settings);
}

Machine machine_with_network() {
  Machine machine = flow_machine(16, 1);
  machine.platform.network.message.bandwidth_bytes_per_s = 1e9;
  return machine;
}

TEST(SumPieces, SendLeast) {
  EXPECT_EQ(pieces(machine_with_network(), settings_for_terms({})), (std::vector<int>{4, 1}));
}

/// A byte takes 1 / 16e9 s on the network of 16 ranks and 1 / 16e7 s to be added on 16 cores: with one piece
/// 1.1 us and 3.2 us, with two 0.8 and 6.4.
TEST(SumPieces, AreNotCutWhereAdditionsTakeLonger) {
  Machine machine = machine_with_network();
  machine.platform.addition_bytes_per_s_per_core = 1e7;
  ASSERT_EQ(machine.cores_per_rank(), 1);
  EXPECT_EQ(pieces(machine, settings_for_terms({})), (std::vector<int>{1, 1}));
}

TEST(SumPieces, AreNotCutWithoutNeed) {
  EXPECT_EQ(pieces(flow_machine(16, 1), settings_for_terms({})), (std::vector<int>{1, 1}));
  EXPECT_EQ(pieces(flow_machine(1, 1), settings_for_terms({})), (std::vector<int>{1, 1}));
}

TEST(SumPieces, AreNotCutWhereTheSettingsSayHowTheyAreSummed) {
  for (const Settings& settings :
       {Settings{{"chain_pieces", "1"}}, Settings{{"strategy", "grid-3d"}}, Settings{{"strategy", "auto"}}})
    EXPECT_EQ(pieces(machine_with_network(), settings_for_terms(settings)), (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace foretile::sum_pieces_test
