// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_blocks.hpp"

#include <gtest/gtest.h>

#include "planner/tensor/program_text.hpp"

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

}  // namespace
}  // namespace foretile::program_blocks_test
