// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/combine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile::combine_test {
namespace {

template <class Real>
std::vector<Real> combined(const std::vector<std::int64_t>& extents, const std::vector<int>& permutation,
                           double beta, double factor, const std::vector<Real>& from, std::vector<Real> to) {
  combine_tile({sizeof(Real) == 8 ? Precision::f64 : Precision::f32}, extents, permutation, beta, factor,
               reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()));
  return to;
}

using Doubles = std::vector<double>;
using Complexes = std::vector<std::complex<double>>;

/// (1 + 2i)(3 + i) + (2 - i)(i) = (1 + 7i) + (1 + 2i) = 2 + 9i.
TEST(Combine, TakesComplexNumbersAndFactors) {
  const Complexes from{{0, 1}, {1, 0}};
  Complexes to{{3, 1}, {0, 0}};
  const std::array<std::int64_t, 1> extents{2};
  combine_tile({Precision::f64, true}, extents, {}, {1, 2}, {2, -1},
               reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()));
  EXPECT_EQ(to, (Complexes{{2, 9}, {2, -1}}));
}

TEST(Combine, ScalesATile) {
  Complexes complex{{3, 1}, {0, -1}};
  scale_tile({Precision::f64, true}, {0, 2}, 2, reinterpret_cast<std::byte*>(complex.data()));
  EXPECT_EQ(complex, (Complexes{{-2, 6}, {2, 0}}));
  std::vector<float> real{3, -1};
  scale_tile({Precision::f32}, 0.5, 2, reinterpret_cast<std::byte*>(real.data()));
  EXPECT_EQ(real, (std::vector<float>{1.5F, -0.5F}));
}

TEST(Combine, AddsScalesAndCopies) {
  const Doubles x{1, 2, 3, 4};
  EXPECT_EQ(combined<double>({2, 2}, {}, 1, 1, x, {10, 20, 30, 40}), (Doubles{11, 22, 33, 44}));
  EXPECT_EQ(combined<double>({2, 2}, {}, 0.5, 2, x, {10, 20, 30, 40}), (Doubles{7, 14, 21, 28}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(combined<double>({4}, {}, 0, 3, x, Doubles(4, nan)), (Doubles{3, 6, 9, 12}));
  EXPECT_EQ(combined<float>({4}, {}, 1, -1, {1, 2, 3, 4}, {1, 1, 1, 1}), (std::vector<float>{0, -1, -2, -3}));
  EXPECT_EQ(combined<double>({0, 3}, {}, 1, 1, {}, {}), Doubles{});
}

/// `to` is 2 x 3, `from` its transpose: column-major 3 x 2 with columns (1 2 3) and (4 5 6). So the columns
/// of `to` are (1 4), (2 5), (3 6).
TEST(Combine, Transposes) {
  EXPECT_EQ(combined<double>({2, 3}, {1, 0}, 0, 1, {1, 2, 3, 4, 5, 6}, Doubles(6)),
            (Doubles{1, 4, 2, 5, 3, 6}));
}

/// Against the definition: to(x_0, ..., x_n) takes from(y) with y[permutation[d]] = x_d.
TEST(Combine, PermutesUpToEightIndices) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto indices = static_cast<std::size_t>(random.integer(1, 8));
    std::vector<std::int64_t> extents(indices);
    std::vector<int> permutation(indices);
    std::iota(permutation.begin(), permutation.end(), 0);
    for (std::size_t d = 0; d < indices; ++d) {
      extents[d] =
          random.integer(1, indices <= 3 ? 40 : 3);  // some longer than the squares that are copied at once
      std::swap(permutation[d],
                permutation[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(d)))]);
    }
    std::vector<std::int64_t> of_from(indices);
    for (std::size_t d = 0; d < indices; ++d) of_from[static_cast<std::size_t>(permutation[d])] = extents[d];
    const auto size = static_cast<std::size_t>(
        std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()));
    Doubles from(size), to(size), wanted(size);
    for (std::size_t e = 0; e < size; ++e) from[e] = random.real(), to[e] = random.real();
    for (std::size_t e = 0; e < size; ++e) {
      std::vector<std::int64_t> y(indices);
      auto rest = static_cast<std::int64_t>(e);
      for (std::size_t d = 0; d < indices; ++d) {
        y[static_cast<std::size_t>(permutation[d])] = rest % extents[d];
        rest /= extents[d];
      }
      std::int64_t place = 0;
      for (std::size_t d = indices; d-- > 0;) place = place * of_from[d] + y[d];
      wanted[e] = 0.25 * to[e] + 3 * from[static_cast<std::size_t>(place)];
    }
    EXPECT_EQ(combined<double>(extents, permutation, 0.25, 3, from, to), wanted);
  }
}

TEST(Combine, RefusesWhatIsNoPermutation) {
  const Doubles x(4);
  EXPECT_THROW(combined<double>({2, 2}, {0, 0}, 1, 1, x, x), InputError);
  EXPECT_THROW(combined<double>({2, 2}, {0, 2}, 1, 1, x, x), InputError);
  EXPECT_THROW(combined<double>({2, 2}, {-1, 0}, 1, 1, x, x), InputError);
  EXPECT_THROW(combined<double>({2, 2}, {0}, 1, 1, x, x), InputError);
  EXPECT_THROW(combined<double>(std::vector<std::int64_t>(9, 1), {0, 1, 2, 3, 4, 5, 6, 7, 8}, 1, 1, x, x),
               InputError);
}

}  // namespace
}  // namespace foretile::combine_test
