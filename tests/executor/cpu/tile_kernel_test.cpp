// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/tile_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace foretile::tile_kernel_test {
namespace {

/// Small whole numbers, so that every order of summation gives the same.
template <class Real>
std::vector<Real> whole_numbers(Random& random, std::int64_t elements) {
  std::vector<Real> x(static_cast<std::size_t>(elements));
  for (Real& e : x) e = static_cast<Real>(random.integer(-9, 9));
  return x;
}

template <class Real>
std::byte* bytes(std::vector<Real>& x) {
  return std::as_writable_bytes(std::span(x)).data();
}

template <class Real>
void expect_the_reference(TileKernel::Library library, COld old) {
  constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const std::int64_t most = seed % 3 == 0 ? kMostSmall + 20 : 40;
    const auto m = random.integer(1, most), n = random.integer(1, most), k = random.integer(1, most);
    auto a = whole_numbers<Real>(random, m * k), b = whole_numbers<Real>(random, k * n);
    auto c = whole_numbers<Real>(random, m * n);
    auto expected = c;
    if (old == COld::ignored) {
      std::fill(c.begin(), c.end(), std::numeric_limits<Real>::quiet_NaN());
      std::fill(expected.begin(), expected.end(), Real{0});
    }
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t l = 0; l < k; ++l) {
        for (std::int64_t i = 0; i < m; ++i) {
          expected[static_cast<std::size_t>(i + j * m)] +=
              a[static_cast<std::size_t>(i + l * m)] * b[static_cast<std::size_t>(l + j * k)];
        }
      }
    }
    TileKernel({{precision}}, m, n, k, old, library)(bytes(a), bytes(b), bytes(c));
    EXPECT_EQ(c, expected) << "seed " << seed << ": " << m << " x " << n << " x " << k;
  }
}

TEST(TileKernel, EqualsTheReference) {
  for (const auto library : {TileKernel::Library::blas, TileKernel::Library::best}) {
    for (const COld old : {COld::added, COld::ignored}) {
      expect_the_reference<double>(library, old);
      expect_the_reference<float>(library, old);
    }
  }
}

/// Columns of A, B and C with one, two and three numbers between them.
template <class Real>
void expect_the_same_bits_with_gaps(Random& random, Precision precision, COld old) {
  const std::int64_t m = random.integer(1, 40), n = random.integer(1, 40), k = random.integer(1, 40);
  const auto fill = [&](std::int64_t elements) {
    std::vector<Real> x(static_cast<std::size_t>(elements));
    for (Real& e : x) e = static_cast<Real>(random.real() - 0.5);
    return x;
  };
  auto a = fill((m + 1) * k), b = fill((k + 2) * n), c = fill((m + 3) * n);
  const auto without_gaps = [](const std::vector<Real>& x, std::int64_t rows, std::int64_t gap) {
    std::vector<Real> all;
    for (std::int64_t e = 0; e < std::ssize(x); ++e) {
      if (e % (rows + gap) < rows) all.push_back(x[static_cast<std::size_t>(e)]);
    }
    return all;
  };
  auto plain_a = without_gaps(a, m, 1), plain_b = without_gaps(b, k, 2), plain_c = without_gaps(c, m, 3);
  const TileKernel kernel({{precision}}, m, n, k, old);
  kernel(bytes(plain_a), bytes(plain_b), bytes(plain_c));
  kernel({bytes(a), m + 1}, {bytes(b), k + 2}, {bytes(c), m + 3});
  EXPECT_EQ(without_gaps(c, m, 3), plain_c) << m << " x " << n << " x " << k;
}

TEST(TileKernel, GapsBetweenColumnsChangeNoBit) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (const COld old : {COld::added, COld::ignored}) {
      expect_the_same_bits_with_gaps<double>(random, Precision::f64, old);
      expect_the_same_bits_with_gaps<float>(random, Precision::f32, old);
    }
  }
}

TEST(TileKernel, MultipliesWithEmptyTiles) {
  std::vector<double> c{1, 2};
  TileKernel({{Precision::f64}}, 2, 1, 0, COld::added)(nullptr, nullptr, bytes(c));
  EXPECT_EQ(c, (std::vector<double>{1, 2}));
}

TEST(TileKernel, NamesItsLibraries) {
  EXPECT_EQ(tile_kernels(false), blas_kernels());
  if (small_products_on()) {
    EXPECT_TRUE(tile_kernels().starts_with(blas_kernels() + ", libxsmm "));
    EXPECT_TRUE(tile_kernels().ends_with(" up to 128"));
  } else {
    EXPECT_EQ(tile_kernels(), blas_kernels());
  }
}

TEST(TileKernel, NamesKernelsThatChangedSinceTheCalibration) {
  const std::string cooperlake = "OpenBLAS Cooperlake, libxsmm 1.17 up to 128";
  EXPECT_EQ(changed_kernels("", "OpenBLAS Haswell", true), "");
  EXPECT_EQ(changed_kernels(cooperlake, cooperlake, true), "");
  EXPECT_EQ(changed_kernels(cooperlake, "OpenBLAS Cooperlake", false), "");  // no tile is small
  EXPECT_EQ(changed_kernels(cooperlake, "OpenBLAS Haswell", true),
            "calibrated with OpenBLAS Cooperlake, now OpenBLAS Haswell (OPENBLAS_CORETYPE is set): calibrate "
            "again, or unset it");
  EXPECT_EQ(changed_kernels("OpenBLAS Haswell", "OpenBLAS Cooperlake", false),
            "calibrated with OpenBLAS Haswell, now OpenBLAS Cooperlake: calibrate again");
  EXPECT_EQ(changed_kernels("OpenBLAS Cooperlake", cooperlake, true),
            "calibrated with OpenBLAS Cooperlake, now " + cooperlake + ": calibrate again");
}

}  // namespace
}  // namespace foretile::tile_kernel_test
