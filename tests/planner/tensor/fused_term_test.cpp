// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/fused_term.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "planner/program/joined_products.hpp"
#include "planner/tensor/fused_program.hpp"
#include "planner/tensor/term_counts.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::fused_term_test {
namespace {

/// Indices a b c d i j are 0 to 5; every position is a group of its own.
IndexedTensor plain(const std::string& name, IndexList indices) {
  IndexedTensor tensor{name, std::move(indices), 2, {}};
  for (std::size_t p = 0; p < tensor.indices.size(); ++p) tensor.groups.push_back({p});
  return tensor;
}

TensorTerm term_of(IndexList result, IndexList first, IndexList second) {
  return {{"a", "b", "c", "d", "i", "j"},
          IndexList(6, 0),
          plain("R", std::move(result)),
          {plain("V", std::move(first)), plain("T", std::move(second))}};
}

TEST(Fusion, TakesWhatLiesAsAMatrix) {
  const Fusion fusion = best_fusion(term_of({0, 1, 4, 5}, {0, 1, 2, 3}, {2, 3, 4, 5}), {1, 1, 1});
  EXPECT_EQ(fusion.permuted(), 0U);
  EXPECT_EQ(fusion.m, (IndexList{0, 1}));
  EXPECT_EQ(fusion.k, (IndexList{2, 3}));
  EXPECT_EQ(fusion.n, (IndexList{4, 5}));
  EXPECT_FALSE(fusion.is_transposed[0] || fusion.is_transposed[1]);
}

TEST(Fusion, TakesTransposesAndExchangesOperands) {
  // R[ab,ij] = V[cd,ab] T[ij,cd]: both are transposed.
  const Fusion both = best_fusion(term_of({0, 1, 4, 5}, {2, 3, 0, 1}, {4, 5, 2, 3}), {1, 1, 1});
  EXPECT_EQ(both.permuted(), 0U);
  EXPECT_TRUE(both.is_transposed[0] && both.is_transposed[1]);
  // R[ij,ab] = V[ab,cd] T[cd,ij]: T is A.
  const Fusion exchanged = best_fusion(term_of({4, 5, 0, 1}, {0, 1, 2, 3}, {2, 3, 4, 5}), {1, 1, 1});
  EXPECT_EQ(exchanged.permuted(), 0U);
  EXPECT_EQ(exchanged.operand, (std::array<std::size_t, 2>{1, 0}));
  EXPECT_EQ(exchanged.m, (IndexList{4, 5}));
  // Unless it must be B: then R is permuted.
  const Fusion kept = best_fusion(term_of({4, 5, 0, 1}, {0, 1, 2, 3}, {2, 3, 4, 5}), {1, 1, 1}, 1);
  EXPECT_EQ(kept.operand, (std::array<std::size_t, 2>{0, 1}));
  EXPECT_EQ(kept.permuted(), 1U);
}

/// R[a,b,i,j] = V[a,b,c,d] T[d,c,i,j]: V or T must be permuted, the smaller one is.
TEST(Fusion, PermutesTheSmallerOne) {
  const TensorTerm term = term_of({0, 1, 4, 5}, {0, 1, 2, 3}, {3, 2, 4, 5});
  const Fusion of_t = best_fusion(term, {10, 1, 1});
  EXPECT_TRUE(of_t.fits[0] && !of_t.fits[1] && of_t.fits[2]);
  EXPECT_EQ(of_t.k, (IndexList{2, 3}));
  const Fusion of_v = best_fusion(term, {1, 10, 1});
  EXPECT_TRUE(!of_v.fits[0] && of_v.fits[1]);
  EXPECT_EQ(of_v.k, (IndexList{3, 2}));
}

/// Chains and products of all 29 products, and what all of a level join to.
TEST(FusedTerm, HasTheProductsThatAreCounted) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const ProgramSizes sizes{random.integer(1, 5), random.integer(1, 7), random.integer(2, 3)};
    const FusedProgram program(ccsd_t2(), sizes, "test");
    for (int level = 1; level <= program.levels(); ++level) {
      std::vector<ProductPart> contractions;
      TermCounts all;
      for (const std::size_t number : program.terms_of_level(level)) {
        const FusedProgramTerm& fused = program.terms()[number];
        if (!fused.is_product()) continue;
        const ProgramTerm& term = program.program().terms[number];
        SCOPED_TRACE(testing::Message() << term.name << ", seed " << seed);
        const TermCounts counts = count_term(term, program.tiles(), "test");
        const Traits found = traits(fused.product->contraction());
        EXPECT_EQ(fused.product->contraction().c.nonzeros(), counts.chains);
        EXPECT_EQ(found.gemms, counts.gemms);
        EXPECT_DOUBLE_EQ(found.flops, counts.flops);
        contractions.emplace_back(fused.product->contraction());
        all.gemms += counts.gemms;
        all.chains += counts.chains;
      }
      const JoinedProducts joined(contractions);
      EXPECT_EQ(traits(joined.contraction()).gemms, all.gemms);
      EXPECT_EQ(joined.contraction().c.nonzeros(), all.chains);
      for (TileId tile = 0; tile < joined.contraction().a.nonzeros(); ++tile) {
        const JoinedProducts::Tile at = joined.at({Matrix::a, tile});
        ASSERT_EQ(joined.contraction().a_bytes(tile), contractions[at.part].product->a_bytes(at.tile));
      }
    }
  }
}

/// A tile as it is stored is the block where is_as_stored() says so, or at least its rows and columns are
/// exchanged where the operand is stored transposed.
TEST(FusedTerm, KnowsTilesAsTheyAreStored) {
  const FusedProgram program(ccsd_t2(), {2, 3, 2}, "test");
  int transposed = 0;
  for (const FusedProgramTerm& term : program.terms()) {
    if (!term.is_product()) continue;
    for (const std::size_t matrix : {0U, 1U}) {
      const Shape& shape = matrix == 0 ? term.product->contraction().a : term.product->contraction().b;
      const bool turned = term.product->fusion().is_transposed.at(matrix);
      for (TileId tile = 0; tile < shape.nonzeros(); ++tile) {
        const BlockPlace stored = term.product->stored_tile(matrix, tile);
        const BlockPlace as_matrix = term.product->operand_tile(matrix, tile);
        EXPECT_EQ(stored.block, as_matrix.block);
        EXPECT_EQ(stored.order.negative, as_matrix.order.negative);
        if (term.product->is_as_stored(matrix, tile)) {
          EXPECT_TRUE(stored.order.is_identity());
          transposed += turned ? 1 : 0;
        }
        if (!turned) {
          EXPECT_EQ(stored.order, as_matrix.order);
        }
      }
    }
  }
  EXPECT_GT(transposed, 0);
}

/// Of p5 p6, which both operands have antisymmetric: a pair of different tiles stands for two orders.
TEST(FusedTerm, CountsEqualOrdersOnce) {
  const FusedProgram program(ccsd_t2(), {1, 2, 1}, "test");
  const FusedProgramTerm& fused = program.terms().back();  // t2_8
  const Contraction& contraction = fused.product->contraction();
  ASSERT_EQ(contraction.k.tiles(), 10);  // of four tiles, in order
  double sum = 0;
  for (std::int32_t k = 0; k < contraction.k.tiles(); ++k) sum += fused.product->multiplicity(k);
  EXPECT_EQ(sum, 16);
}

/// i0[p3,p4,h1,h2] = t2[p3,p5,h1,h6] L[h6,p4,h2,p5]: p3 and p4 come from different operands, and so do h1 and
/// h2. Tiles p 0 1, h 0 1 give one block, with its own order; p 1 0 the same block with the other sign; equal
/// tiles of p two additions; equal tiles of both four.
TEST(ScatterTargets, OfTwoPairsByHand) {
  const FusedProgram program(ccsd_t2(), {2, 2, 1}, "test");
  std::size_t number = 0;
  while (program.program().terms[number].name != "t2_7") ++number;
  const FusedProgramTerm& fused = program.terms()[number];
  const auto targets = [&](const TileTuple& tiles) { return fused.targets->of(tiles); };
  ASSERT_EQ(targets({0, 1, 0, 1}).size(), 1U);
  EXPECT_FALSE(targets({0, 1, 0, 1})[0].order.negative);
  ASSERT_EQ(targets({1, 0, 0, 1}).size(), 1U);
  EXPECT_TRUE(targets({1, 0, 0, 1})[0].order.negative);
  EXPECT_EQ(targets({1, 0, 0, 1})[0].block, targets({0, 1, 0, 1})[0].block);
  EXPECT_FALSE(targets({1, 0, 1, 0})[0].order.negative);
  EXPECT_EQ(targets({0, 0, 0, 1}).size(), 2U);
  EXPECT_EQ(targets({0, 0, 1, 1}).size(), 4U);
}

}  // namespace
}  // namespace foretile::fused_term_test
