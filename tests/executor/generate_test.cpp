#include "executor/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace foretile {
namespace {

std::vector<double> tile(std::size_t elements, std::uint64_t key, double norm) {
  std::vector<double> result(elements);
  generate_tile(result, key, norm);
  return result;
}

TEST(GenerateTile, IsTheFormulaOnEveryMachine) {
  // One element at a time, as the header says: u = upper 52 bits as a fraction, x = (u - 1/2) 2 s.
  const std::uint64_t key = tile_key(7, Operand::b, 12);
  const double s = 2.5 * std::sqrt(3.0 / 1003);
  const std::vector<double> x = tile(1003, key, 2.5);
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double u = static_cast<double>(counter_bits(key, e) >> 12) * 0x1.0p-52;
    ASSERT_EQ(x[e], (u - 0.5) * (2 * s)) << "element " << e;
  }
}

TEST(GenerateTile, HasTheNormOnAverage) {
  // The squared norm of 10^5 uniform elements deviates by sqrt(4/5 / 10^5) = 0.3% of itself.
  double sum = 0, squares = 0;
  for (const double x : tile(100000, tile_key(1, Operand::a, 3), 4)) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(std::sqrt(squares), 4, 0.03);
  EXPECT_LT(std::abs(sum) / std::sqrt(100000.0), 0.06);  // five deviations of 4 / sqrt(1e5)
}

TEST(GenerateTile, DependsOnSeedOperandAndTile) {
  const std::uint64_t key = tile_key(1, Operand::a, 0);
  EXPECT_NE(key, tile_key(2, Operand::a, 0));
  EXPECT_NE(key, tile_key(1, Operand::b, 0));
  EXPECT_NE(key, tile_key(1, Operand::a, 1));
  EXPECT_EQ(key, tile_key(1, Operand::a, 0));
}

TEST(GenerateTile, TakesEmptyAndZeroTiles) {
  generate_tile({}, 1, 1);
  for (const double x : tile(9, 1, 0)) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace foretile
