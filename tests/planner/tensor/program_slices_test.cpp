// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/tensor/fused_program.hpp"
#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile::program_slices_test {
namespace {

constexpr const char* kLadder =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\n"
    "tensor D[a,a,x]\ntensor t[a,a,i,i] pair\nintermediate X[a,a,a,a] on-demand\nresult R[a,a,i,i] pair\n"
    "v: X[a1,a2,a3,a4] += D[a1,a3,x] D[a2,a4,x]\np: R[a1,a2,i1,i2] += X[a1,a2,a3,a4] t[a3,a4,i1,i2]\n";

Program ladder(int slices) {
  return in_slices(parse_program(kLadder, "test"), slices);
}

std::vector<std::string> names_of(const Program& program) {
  std::vector<std::string> names;
  for (const ProgramTerm& term : program.terms) names.push_back(term.name);
  return names;
}

TEST(ProgramSlices, OfOneAreTheProgram) {
  EXPECT_EQ(names_of(ladder(1)), (std::vector<std::string>{"v", "p"}));
}

/// Only a1 and a2 are not summed. v~3 waits for v~2 and p~1, and is at the level of p~2.
TEST(ProgramSlices, OfALadderByHand) {
  const Program program = ladder(4);
  EXPECT_EQ(names_of(program),
            (std::vector<std::string>{"v~1", "p~1", "v~2", "p~2", "v~3", "p~3", "v~4", "p~4"}));
  EXPECT_FALSE(program.declared("X"));
  const TensorDeclaration* const third = program.declared("X~3");
  ASSERT_TRUE(third && third->slice);
  EXPECT_EQ(third->slice->positions, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(third->slice->part, 2U);
  EXPECT_EQ(third->slice->parts, 4U);
  const std::vector<TermOrder> order = order_of_terms(program, "test");
  std::map<std::string, int> level;
  for (std::size_t t = 0; t < order.size(); ++t) level[program.terms[t].name] = order[t].level;
  EXPECT_EQ(
      level,
      (std::map<std::string, int>{
          {"v~1", 1}, {"v~2", 2}, {"p~1", 2}, {"v~3", 3}, {"p~2", 3}, {"v~4", 4}, {"p~3", 4}, {"p~4", 5}}));
  EXPECT_EQ(order[4].depends_on, (std::vector<std::size_t>{1, 2}));
}

/// Where all positions are summed, slices are cut along all; an X that is read twice at once is not cut.
TEST(ProgramSlices, OfSumsAndOfSquares) {
  const std::string head =
      "orbitals = spatial\nspace a = virtual\ntensor c[a,a]\nintermediate X[a,a] on-demand\nresult R[]\n"
      "v: X[a1,a2] += c[a1,a3] c[a3,a2]\n";
  const Program sum = in_slices(parse_program(head + "r: R[] += X[a1,a2] c[a1,a2]\n", "test"), 2);
  EXPECT_EQ(sum.declared("X~2")->slice->positions, (std::vector<std::size_t>{0, 1}));
  const Program square = in_slices(parse_program(head + "r: R[] += X[a1,a2] X[a1,a2]\n", "test"), 2);
  EXPECT_EQ(square.terms.size(), 2U);
  EXPECT_TRUE(square.declared("X"));
}

TEST(ProgramSlices, NeedAnIntermediateOnDemand) {
  const Program program = parse_program(
      "orbitals = spatial\nspace a = virtual\ntensor c[a,a]\nresult R[a,a]\nr: R[a1,a2] += c[a1,a3] "
      "c[a3,a2]\n",
      "test");
  EXPECT_THROW(in_slices(program, 2), InputError);
  EXPECT_EQ(in_slices(program, 1).terms.size(), 1U);
}

/// Slices have the blocks of X once each, together as many products, and two of eight are there at a time.
TEST(ProgramSlices, HaveEachBlockAndProductOnce) {
  const auto sizes = [](int slices) {
    return ProgramSizes{
        .occupied = 3, .virtuals = 20, .tile = 2, .vectors = 5, .vector_tile = 3, .slices = slices};
  };
  const FusedProgram whole(parse_program(kLadder, "test"), sizes(1), "test");
  const FusedProgram sliced(parse_program(kLadder, "test"), sizes(8), "test");
  const auto total = [](const FusedProgram& program, const auto& of_tensor, const auto& of_term) {
    std::pair<std::int64_t, double> sum{};
    for (std::size_t t = 0; t < program.tensors().size(); ++t) {
      if (program.tensors()[t].name.starts_with("X")) sum.first += of_tensor(program.blocks(t));
    }
    for (const FusedProgramTerm& term : program.terms()) sum.second += of_term(term);
    return sum;
  };
  const auto elements = [](const TensorBlocks& blocks) { return blocks.elements(); };
  const auto flops = [](const FusedProgramTerm& term) { return traits(term.product->contraction()).flops; };
  EXPECT_EQ(total(whole, elements, flops), total(sliced, elements, flops));
  std::int64_t largest = 0;
  for (std::size_t t = 0; t < sliced.tensors().size(); ++t) {
    if (sliced.tensors()[t].rules.slice) largest = std::max(largest, sliced.blocks(t).elements());
  }
  EXPECT_LT(largest, total(whole, elements, flops).first / 6);
  for (int level = 1; level <= sliced.levels(); ++level) {
    int there = 0;
    for (std::size_t t = 0; t < sliced.tensors().size(); ++t)
      there += sliced.tensors()[t].rules.slice && sliced.is_there(t, level) ? 1 : 0;
    EXPECT_LE(there, 2) << level;
  }
}

}  // namespace
}  // namespace foretile::program_slices_test
