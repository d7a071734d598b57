// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_tensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::program_tensors_test {
namespace {

/// p3 and p4 are upper ones of v alone; h1 and h2 lower ones of c2; p5 and p6 are together in both.
TEST(ProgramTensors, GatherAntisymmetricIndices) {
  const Program program = ccsd_t2();
  ASSERT_EQ(program.terms.back().name, "t2_8");
  const TensorTerm term = tensor_term(program.terms.back());
  const auto names = [&](const std::vector<IndexList>& groups) {
    std::vector<std::vector<std::string>> all;
    for (const IndexList& group : groups) {
      auto& of_group = all.emplace_back();
      for (const std::size_t index : group) of_group.push_back(term.names[index]);
    }
    return all;
  };
  using Names = std::vector<std::vector<std::string>>;
  EXPECT_EQ(names(result_groups(term)), (Names{{"p3", "p4"}, {"h1", "h2"}}));
  EXPECT_EQ(names(summed_groups(term)), (Names{{"p5", "p6"}}));
  EXPECT_EQ(names({summed_indices(term)}), (Names{{"p5", "p6"}}));
}

TEST(ProgramTensors, OfTheExample) {
  const Program program = ccsd_t2();
  const auto tensors = tensors_of(program);
  std::vector<std::string> given;
  for (const ProgramTensor& tensor : tensors) {
    if (tensor.role == TensorRole::given) given.push_back(text_of(tensor, program));
  }
  EXPECT_EQ(given, (std::vector<std::string>{"v[pp|hh]", "v[hp|hh]", "v[hh|hh]", "v[hh|hp]", "t1[p|h]",
                                             "v[hh|pp]", "t2[pp|hh]", "f[h|p]", "c2[pp|hh]", "v[hp|pp]",
                                             "v[pp|hp]", "f[h|h]", "f[p|p]", "v[hp|hp]", "v[pp|pp]"}));
  EXPECT_EQ(tensors[0].role, TensorRole::result);
  EXPECT_EQ(tensors[0].rules.groups, (std::vector<IndexList>{{0, 1}, {2, 3}}));
}

void expect_sizes_of_blocks(const Program& program, bool vectors) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    ProgramSizes sizes{random.integer(1, 6), random.integer(1, 8), random.integer(1, 3)};
    if (vectors) sizes.vectors = sizes.vector_tile = random.integer(1, 5);
    const auto tiles = spin_tiles_of(program, sizes);
    for (const ProgramTensor& tensor : tensors_of(program)) {
      SCOPED_TRACE(testing::Message() << text_of(tensor, program) << ", seed " << seed);
      const TensorBlocks blocks(tensor.rules, tiles, "test");
      const TensorSize size = size_of(tensor, tiles);
      EXPECT_EQ(size.blocks, static_cast<double>(blocks.count()));
      EXPECT_EQ(size.elements, static_cast<double>(blocks.elements()));
      std::int64_t largest = 0;
      for (BlockId block = 0; block < blocks.count(); ++block)
        largest = std::max(largest, blocks.elements(block));
      EXPECT_GE(size.largest_block, static_cast<double>(largest));
    }
  }
}

/// In closed form as block by block; with antisymmetry, and with pairs that are equal.
TEST(ProgramTensors, HaveTheSizesOfTheirBlocks) {
  expect_sizes_of_blocks(ccsd_t2(), false);
  expect_sizes_of_blocks(load_program(find_data("examples/cholesky_ccsd_lean.txt")), true);
}

/// x is given (4 elements of alpha), A is generated at level 1 and read at 2, B at 2 and read at 3, where R
/// is made: 8 elements at level 1, 12 at level 2, of which A leaves, and 12 at level 3.
TEST(ProgramMemory, OfAChainByHand) {
  const Program program = parse_program(
      "space p = virtual\ntensor x[p|p]\nresult R[p|p]\n"
      "a: A[p1,p2] += x[p1,p2]\nb: B[p1,p2] += A[p1,p3] x[p3,p2]\nr: R[p1,p2] += B[p1,p2]\n",
      "test");
  const auto order = order_of_terms(program, "test");
  const ProgramMemory memory = memory_of(program, order, spin_tiles_of(program, {1, 2, 2}));
  EXPECT_EQ(memory.elements, (std::vector<double>{8, 12, 12}));
  EXPECT_EQ(memory.fullest, 2);
  EXPECT_EQ(memory.largest_product, 12);
  EXPECT_EQ(memory.per_node(4), 15);
  const auto life = [&](const std::string& name) {
    const auto found =
        std::ranges::find_if(memory.tensors, [&](const TensorLife& one) { return one.tensor.name == name; });
    return std::pair(found->levels.made, found->levels.last);
  };
  EXPECT_EQ(life("x"), std::pair(0, 3));
  EXPECT_EQ(life("A"), std::pair(1, 2));
  EXPECT_EQ(life("B"), std::pair(2, 3));
  EXPECT_EQ(life("R"), std::pair(3, 3));
}

}  // namespace
}  // namespace foretile::program_tensors_test
