// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/team_product.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "base/random.hpp"

namespace foretile::team_product_test {
namespace {

using Number = std::complex<double>;

std::vector<Number> random_numbers(std::int64_t count, Random& random) {
  std::vector<Number> numbers;
  for (std::int64_t e = 0; e < count; ++e)
    numbers.push_back(
        {static_cast<double>(random.integer(-9, 9)), static_cast<double>(random.integer(-9, 9))});
  return numbers;
}

TileView view(std::vector<Number>& numbers, std::int64_t ld) {
  return {reinterpret_cast<std::byte*>(numbers.data()), ld};
}

Op random_op(Random& random) {
  return static_cast<Op>(random.integer(0, 2));
}

/// Small whole numbers: every order of additions gives the same. Tiles are in larger matrices, whose other
/// elements stay.
TEST(TeamProduct, ItsPartsAreTheProduct) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const ProductSize size{random.integer(1, 12), random.integer(1, 12), random.integer(1, 5)};
    const int cores = static_cast<int>(random.integer(1, 9));
    SCOPED_TRACE(fmt::format("seed {}: {} x {} x {}, {} cores", seed, size.m, size.n, size.k, cores));
    const ProductForm form{{Precision::f64, true}, random_op(random), random_op(random), 2};
    const COld old = random.integer(0, 1) == 0 ? COld::added : COld::ignored;
    const std::int64_t lda = std::max(size.m, size.k) + random.integer(0, 2);
    const std::int64_t ldb = std::max(size.n, size.k) + random.integer(0, 2);
    const std::int64_t ldc = size.m + random.integer(0, 2);
    auto a = random_numbers(lda * 12, random), b = random_numbers(ldb * 12, random);
    auto c = random_numbers(ldc * size.n, random);
    auto whole = c;
    multiply_tiles(form, size.m, size.n, size.k, view(a, lda), view(b, ldb), view(whole, ldc), old);
    const TeamProduct product{form,         size,        team_parts(size.m, size.n, cores), old, view(a, lda),
                              view(b, ldb), view(c, ldc)};
    for (int part = cores; part >= 0; --part) product.multiply(part);
    ASSERT_EQ(c, whole);
  }
}

}  // namespace
}  // namespace foretile::team_product_test
