// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_slices.hpp"

#include <gtest/gtest.h>

#include <set>

#include "planner/distribution/on_demand.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::term_slices_test {
namespace {

/// All tiles of C of a part, which must be new ones.
void add_tiles(const FusedProgram& program, const TermPart& part, std::set<TileId>& tiles) {
  const JoinedProducts joined(
      {ProductPart(program.terms()[part.term].product->contraction(), part.rows, part.columns)});
  EXPECT_FALSE(joined.tiles(Matrix::c).empty());
  for (const TileId tile : joined.tiles(Matrix::c)) EXPECT_TRUE(tiles.insert(tile).second) << tile;
}

void add_copies(const FusedProgram& program, const TermPart& part, std::set<TileId>& tiles) {
  const auto halves = halves_of(program, {}, part);
  if (halves) {
    for (const TermPart& half : *halves) add_copies(program, half, tiles);
    return;
  }
  EXPECT_EQ(part.rows.count(), 1);
  EXPECT_TRUE(tiles.insert(part.rows.begin).second);
}

void add_slices(const FusedProgram& program, const TermPart& part, std::set<TileId>& tiles) {
  const auto halves = halves_of(program, {}, part);
  if (!halves) return add_tiles(program, part, tiles);
  for (const TermPart& half : *halves) add_slices(program, half, tiles);
}

/// Cut as far as it goes, every term has each of its tiles of C, or each copied block, once, each alone.
TEST(TermSlices, CoverEachTermOnce) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    std::set<TileId> tiles;
    if (!program.terms()[term].is_product()) {
      add_copies(program, whole_term(program, term), tiles);
      EXPECT_EQ(tiles.size(), program.terms()[term].copies.size());
      continue;
    }
    add_slices(program, whole_term(program, term), tiles);
    EXPECT_EQ(std::ssize(tiles), program.terms()[term].product->contraction().c.nonzeros());
  }
}

/// The operand that is generated on demand is cut, whichever it is: no slice needs a tile of it that
/// another one needs.
TEST(TermSlices, MakeEachTileOnce) {
  for (const char* const made : {"x", "y"}) {
    const FusedProgram program(
        parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                      "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                      "test"),
        {1, 8, 2}, "test");
    const ProgramDistribution distribution{.on_demand = on_demand_of(program, {std::string(made) + "[p|p]"})};
    const FusedProgramTerm& term = program.terms()[0];
    const Matrix matrix = distribution.is_on_demand(term.operands[0]) ? Matrix::a : Matrix::b;
    const auto halves = halves_of(program, distribution, whole_term(program, 0));
    ASSERT_TRUE(halves);
    std::set<TileId> tiles;
    for (const TermPart& half : *halves) {
      const JoinedProducts joined({ProductPart(term.product->contraction(), half.rows, half.columns)});
      for (const TileId tile : joined.tiles(matrix)) EXPECT_TRUE(tiles.insert(tile).second) << made;
    }
  }
}

}  // namespace
}  // namespace foretile::term_slices_test
