#include "executor/cpu/blas.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile {
namespace {

TEST(BlasKernels, LevelsOfKnownNames) {
  EXPECT_EQ(kernel_level("Prescott"), VectorLevel::baseline);
  EXPECT_EQ(kernel_level("haswell"), VectorLevel::avx2);
  EXPECT_EQ(kernel_level("Cooperlake"), VectorLevel::avx512);
  EXPECT_EQ(kernel_level(""), VectorLevel::baseline);
}

TEST(BlasKernels, AsksForBetterOnesOnlyWhenTheCpuHasMore) {
  EXPECT_EQ(better_kernels("Prescott", VectorLevel::avx512), "SkylakeX");
  EXPECT_EQ(better_kernels("Zen", VectorLevel::avx512), "SkylakeX");
  EXPECT_EQ(better_kernels("Nehalem", VectorLevel::avx2), "Haswell");
  EXPECT_EQ(better_kernels("Zen", VectorLevel::avx2), "");
  EXPECT_EQ(better_kernels("Cooperlake", VectorLevel::avx512), "");
  EXPECT_EQ(better_kernels("SkylakeX", VectorLevel::avx2), "");
  EXPECT_EQ(better_kernels("ARMV8", VectorLevel::baseline), "");
}

TEST(Gemm, EqualsTheReference) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto m = random.integer(1, 40), n = random.integer(1, 40), k = random.integer(1, 40);
    const auto lda = m + random.integer(0, 3), ldb = k + random.integer(0, 3), ldc = m + random.integer(0, 3);
    // Small whole numbers, so that every order of summation gives the same.
    const auto fill = [&](std::int64_t elements) {
      std::vector<double> x(static_cast<std::size_t>(elements));
      for (double& e : x) e = static_cast<double>(random.integer(-9, 9));
      return x;
    };
    const auto a = fill(lda * k), b = fill(ldb * n);
    auto c = fill(ldc * n);
    auto expected = c;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t l = 0; l < k; ++l) {
          expected[static_cast<std::size_t>(i + j * ldc)] +=
              a[static_cast<std::size_t>(i + l * lda)] * b[static_cast<std::size_t>(l + j * ldb)];
        }
      }
    }
    gemm(m, n, k, a.data(), lda, b.data(), ldb, c.data(), ldc);
    EXPECT_EQ(c, expected) << "seed " << seed << ": " << m << " x " << n << " x " << k;
  }
}

TEST(Gemm, RefusesSizesBeyondOpenBlas) {
  double x = 0;
  EXPECT_THROW(gemm(std::int64_t{1} << 31, 1, 1, &x, 1, &x, 1, &x, 1), InputError);
}

}  // namespace
}  // namespace foretile
