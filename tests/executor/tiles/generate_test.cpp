// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace foretile::generate_test {
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

/// All lengths up to a few vectors, so that whole vectors and what is left over are made.
TEST(GenerateTile, FloatsAreTheDoublesRounded) {
  for (std::size_t elements = 0; elements < 70; ++elements) {
    for (const double norm : {1.0, 2.5e-30, 1e-42, 3e30}) {
      const std::vector<double> wanted = tile(elements, 5 + elements, norm);
      std::vector<float> found(elements);
      generate_tile(found, 5 + elements, norm);
      for (std::size_t e = 0; e < elements; ++e) ASSERT_EQ(found[e], static_cast<float>(wanted[e]));
    }
  }
}

TEST(GenerateTile, TakesBytesOfEitherPrecision) {
  const std::vector<double> wanted = tile(33, 8, 2);
  std::vector<double> doubles(33);
  std::vector<float> floats(33);
  generate_tile(Precision::f64, std::as_writable_bytes(std::span(doubles)).data(), 33, 8, 2);
  generate_tile(Precision::f32, std::as_writable_bytes(std::span(floats)).data(), 33, 8, 2);
  EXPECT_EQ(doubles, wanted);
  EXPECT_EQ(floats, std::vector<float>(wanted.begin(), wanted.end()));
}

/// Of 257 elements, with each vector unit of this machine: every pair of parts, and 16 parts in any order.
template <class Real>
void expect_same_bits_in_parts(Precision precision) {
  constexpr std::int64_t whole = 257;
  std::vector<Real> wanted(whole);
  generate_tile(wanted, 21, 2.5);
  for (int version = 0; version < generate_versions(); ++version) {
    std::vector<Real> found(whole);
    const auto make = [&](std::int64_t first, std::int64_t elements) {
      generate_part(precision, std::as_writable_bytes(std::span(found)).data(), {whole, first, elements}, 21,
                    2.5, version);
    };
    for (std::int64_t cut = 0; cut <= whole; ++cut) {
      std::fill(found.begin(), found.end(), Real{9});
      make(cut, whole - cut);
      for (std::int64_t e = 0; e < cut; ++e) ASSERT_EQ(found[e], Real{9}) << "not its element " << e;
      make(0, cut);
      ASSERT_EQ(found, wanted) << "version " << version << ", cut at " << cut;
    }
    std::fill(found.begin(), found.end(), Real{9});
    for (int part = 0; part < 16; ++part) {
      const std::int64_t number = part * 7 % 16;
      make(whole * number / 16, whole * (number + 1) / 16 - whole * number / 16);
    }
    ASSERT_EQ(found, wanted) << "version " << version;
  }
}

TEST(GenerateTile, PartsHaveTheBitsOfTheWhole) {
  expect_same_bits_in_parts<double>(Precision::f64);
  expect_same_bits_in_parts<float>(Precision::f32);
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
  generate_tile(std::span<double>(), 1, 1);
  generate_tile(std::span<float>(), 1, 1);
  for (const double x : tile(9, 1, 0)) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace foretile::generate_test
