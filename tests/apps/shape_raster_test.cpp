// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/shape_raster.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace foretile::shape_raster_test {
namespace {

TEST(NormScale, SpansWholeDecades) {
  // Norms from 1000 to 2: log10(500) = 2.7, hence 3 decades; 1000 is 1, 100 is 2/3, 1 is 0.
  const NormScale scale = norm_scale(Shape(1, 3, {{0, 0, 1000.0F}, {0, 1, 2.0F}, {0, 2, 0.0F}}));
  EXPECT_FALSE(scale.flat);
  EXPECT_DOUBLE_EQ(scale.decades, 3);
  EXPECT_NEAR(scale(1000), 1, 1e-12);
  EXPECT_NEAR(scale(100), 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(scale(1), 0);
  EXPECT_DOUBLE_EQ(scale(0), 0);
}

TEST(NormScale, IsFlatWhereNothingDiffers) {
  EXPECT_TRUE(norm_scale(Shape::dense(2, 2)).flat);
  EXPECT_TRUE(norm_scale(Shape(2, 2, {})).flat);
  EXPECT_TRUE(norm_scale(Shape(2, 2, {{0, 0, 0.0F}})).flat);
}

TEST(Raster, GivesEachTileACellWhereTheyFit) {
  const Shape shape(2, 3, {{0, 1, 1.0F}, {1, 2, 1.0F}});
  const Raster raster = rasterize(shape, norm_scale(shape), 100, 100);
  ASSERT_EQ(raster.height, 2);
  ASSERT_EQ(raster.width, 3);
  for (std::int32_t i = 0; i < 2; ++i) {
    for (std::int32_t j = 0; j < 3; ++j) EXPECT_EQ(raster.at(i, j).coverage, shape.contains(i, j) ? 1 : 0);
  }
}

TEST(Raster, SharesCellsAmongTiles) {
  // 4 x 4 tiles in 2 x 2 cells of 4 tiles each: the first has two tiles, of which 100 is the stronger.
  const Shape shape(4, 4, {{0, 0, 1.0F}, {1, 1, 100.0F}, {3, 2, 10.0F}});
  const Raster raster = rasterize(shape, norm_scale(shape), 2, 2);
  EXPECT_FLOAT_EQ(raster.at(0, 0).coverage, 0.5F);
  EXPECT_FLOAT_EQ(raster.at(0, 0).strength, 1.0F);
  EXPECT_FLOAT_EQ(raster.at(1, 1).coverage, 0.25F);
  EXPECT_FLOAT_EQ(raster.at(1, 1).strength, 0.5F);
  EXPECT_EQ(raster.at(0, 1).coverage, 0);
  EXPECT_EQ(raster.at(1, 0).coverage, 0);
}

TEST(Raster, LosesNoTile) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto rows = static_cast<std::int32_t>(random.integer(1, 97));
    const auto columns = static_cast<std::int32_t>(random.integer(1, 97));
    const auto row = static_cast<std::int32_t>(random.integer(0, rows - 1));
    const auto column = static_cast<std::int32_t>(random.integer(0, columns - 1));
    const Shape shape(rows, columns, {{row, column, 0.5F}});
    const auto most_columns = static_cast<std::int32_t>(random.integer(1, 50));
    const auto most_rows = static_cast<std::int32_t>(random.integer(1, 50));
    const Raster raster = rasterize(shape, norm_scale(shape), most_rows, most_columns);
    int seen = 0;
    for (const Cell& cell : raster.cells) {
      if (cell.coverage > 0) ++seen;
      EXPECT_LE(cell.coverage, 1);
    }
    EXPECT_EQ(seen, 1);
  }
}

}  // namespace
}  // namespace foretile::shape_raster_test
