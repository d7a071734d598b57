// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile::random_test {
namespace {

std::int64_t nonzero_elements(const Shape& shape, const Tiling& rows, const Tiling& columns) {
  std::int64_t sum = 0;
  for (TileId id = 0; id < shape.nonzeros(); ++id) {
    sum += rows.size(shape.row_of(id)) * columns.size(shape.column_of(id));
  }
  return sum;
}

std::string digest_of(const Contraction& c) {
  std::string text;
  for (const Tiling* t : {&c.m, &c.n, &c.k}) {
    for (const std::int64_t cut : t->cuts()) text += fmt::format("{} ", cut);
  }
  for (const Shape* s : {&c.a, &c.b, &c.c}) {
    for (TileId id = 0; id < s->nonzeros(); ++id)
      text += fmt::format("{},{} ", s->row_of(id), s->column_of(id));
  }
  return digest(text);
}

TEST(RandomProblem, SizesStayInRangeAndDensityJustAboveTarget) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Tiling rows = random_tiling(random.integer(1, 300), 5, 20, random);
    const Tiling columns = random_tiling(random.integer(1, 300), 5, 20, random);
    for (std::int32_t t = 0; t + 1 < rows.tiles(); ++t) {
      EXPECT_GE(rows.size(t), 5);
      EXPECT_LE(rows.size(t), 20);
    }
    const double density = 0.01 + 0.99 * random.real();
    const Shape shape = random_shape(rows, columns, density, random);
    const auto all = static_cast<double>(rows.extent() * columns.extent());
    const auto kept = static_cast<double>(nonzero_elements(shape, rows, columns));
    const auto largest = static_cast<double>(rows.largest() * columns.largest());
    // The loop ends at the first tile that would go under the target, so less than one tile is over.
    if (shape.nonzeros() == 1) continue;
    EXPECT_LT(kept - largest, density * all);
    EXPECT_GE(kept, density * all);
  }
}

TEST(RandomProblem, FullDensityRemovesNothing) {
  Random random(3);
  const Tiling t = Tiling::uniform(50, 7);
  EXPECT_EQ(random_shape(t, t, 1.0, random).nonzeros(), 64);
}

// Two equal tiles, target 0.5: one goes, each one in about half of the seeds.
TEST(RandomProblem, EachTileIsAsLikelyToGo) {
  int first_stays = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const Shape s = random_shape(Tiling({0, 4}), Tiling({0, 4, 8}), 0.5, random);
    ASSERT_EQ(s.nonzeros(), 1);
    first_stays += s.contains(0, 0) ? 1 : 0;
  }
  EXPECT_NEAR(first_stays, 500, 80);  // five standard deviations of the binomial
}

// Golden: the same on every machine; an independent program in another language gave the same digest.
TEST(RandomProblem, FixedSeedGivesFixedProblem) {
  const RandomParameters p{3000, 5000, 4000, 100, 400, 0.4, 0.2, 42};
  const Contraction direct = random_contraction(p);
  const Contraction read = build_contraction({"r", random_problem_toml(p), "r.toml"});
  EXPECT_EQ(digest_of(direct), digest_of(read));
  EXPECT_EQ(digest_of(direct), "6fa68be2177d8c49");
}

}  // namespace
}  // namespace foretile::random_test
