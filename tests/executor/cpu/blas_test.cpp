// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/blas.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile::blas_test {
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

template <class Real>
void expect_the_reference() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto m = random.integer(1, 40), n = random.integer(1, 40), k = random.integer(1, 40);
    const auto lda = m + random.integer(0, 3), ldb = k + random.integer(0, 3), ldc = m + random.integer(0, 3);
    // Small whole numbers, so that every order of summation gives the same.
    const auto fill = [&](std::int64_t elements) {
      std::vector<Real> x(static_cast<std::size_t>(elements));
      for (Real& e : x) e = static_cast<Real>(random.integer(-9, 9));
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

TEST(Gemm, EqualsTheReference) {
  expect_the_reference<double>();
  expect_the_reference<float>();
}

TEST(Gemm, TakesTilesOfEitherPrecision) {
  const auto bytes = [](auto& x) { return std::as_writable_bytes(std::span(x)).data(); };
  // (1 2; 3 4) (5; 6) = (17; 39)
  std::vector<double> a{1, 3, 2, 4}, b{5, 6}, c{7, -2};
  multiply_tiles({{Precision::f64}}, 2, 1, 2, bytes(a), bytes(b), bytes(c));
  EXPECT_EQ(c, (std::vector<double>{24, 37}));
  std::vector<float> x{1, 3, 2, 4}, y{5, 6}, z{7, -2};
  multiply_tiles({{Precision::f32}}, 2, 1, 2, bytes(x), bytes(y), bytes(z));
  EXPECT_EQ(z, (std::vector<float>{24, 37}));
}

/// (1 2; 3 4) (5; 6) = (17; 39), whatever C held.
TEST(Gemm, IgnoresWhatCHeld) {
  const auto bytes = [](auto& x) { return std::as_writable_bytes(std::span(x)).data(); };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a{1, 3, 2, 4}, b{5, 6}, c{nan, -2};
  multiply_tiles({{Precision::f64}}, 2, 1, 2, bytes(a), bytes(b), bytes(c), COld::ignored);
  EXPECT_EQ(c, (std::vector<double>{17, 39}));
  std::vector<float> x{1, 3, 2, 4}, y{5, 6}, z{7, std::numeric_limits<float>::infinity()};
  multiply_tiles({{Precision::f32}}, 2, 1, 2, bytes(x), bytes(y), bytes(z), COld::ignored);
  EXPECT_EQ(z, (std::vector<float>{17, 39}));
}

template <class Number>
Number whole_number(Random& random) {
  const auto part = [&] { return static_cast<double>(random.integer(-9, 9)); };
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(part());
  } else {
    return Number(std::complex<double>(part(), part()));
  }
}

template <class Number>
Number conjugated(Number x) {
  if constexpr (std::is_floating_point_v<Number>) {
    return x;
  } else {
    return std::conj(x);
  }
}

/// A tile with gaps between its columns.
template <class Number>
struct GappedTile {
  GappedTile(Random& random, std::int64_t rows, std::int64_t columns) : ld(rows + random.integer(0, 3)) {
    for (std::int64_t e = 0; e < ld * columns; ++e) numbers.push_back(whole_number<Number>(random));
  }
  Number& at(std::int64_t i, std::int64_t j) { return numbers[static_cast<std::size_t>(i + j * ld)]; }
  /// Element (i, j) of op(X).
  Number of(Op op, std::int64_t i, std::int64_t j) {
    return op == Op::none ? at(i, j) : op == Op::transpose ? at(j, i) : conjugated(at(j, i));
  }
  TileView view() { return {reinterpret_cast<std::byte*>(numbers.data()), ld}; }

  std::int64_t ld;
  std::vector<Number> numbers;
};

/// The definition, element by element; whole numbers make every order of summation give the same.
template <class Number>
void expect_product(Random& random, ElementType type) {
  const auto m = random.integer(1, 20), n = random.integer(1, 20), k = random.integer(1, 20);
  const auto op = [&] { return static_cast<Op>(random.integer(0, 2)); };
  const auto alpha = whole_number<Number>(random);
  const ProductForm form{type, op(), op(), alpha};
  GappedTile<Number> a(random, form.a == Op::none ? m : k, form.a == Op::none ? k : m);
  GappedTile<Number> b(random, form.b == Op::none ? k : n, form.b == Op::none ? n : k);
  GappedTile<Number> c(random, m, n), expected = c;
  const COld old = random.integer(0, 1) == 1 ? COld::added : COld::ignored;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      Number sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a.of(form.a, i, l) * b.of(form.b, l, j);
      expected.at(i, j) = alpha * sum + (old == COld::added ? c.at(i, j) : Number{0});
    }
  }
  multiply_tiles(form, m, n, k, a.view(), b.view(), c.view(), old);
  EXPECT_EQ(c.numbers, expected.numbers);
}

TEST(Gemm, TakesAllOperationsOnAllElementsWithGaps) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    expect_product<double>(random, {Precision::f64, false});
    expect_product<float>(random, {Precision::f32, false});
    expect_product<std::complex<double>>(random, {Precision::f64, true});
    expect_product<std::complex<float>>(random, {Precision::f32, true});
  }
}

TEST(BlasKernels, SaysWhichAreNotThisProcessors) {
  EXPECT_EQ(foreign_kernels("SkylakeX", VectorLevel::avx512, "OpenBLAS 0.3", true), "");
  EXPECT_EQ(foreign_kernels("Haswell", VectorLevel::avx512, "OpenBLAS 0.3", true),
            "OpenBLAS 0.3 multiplies with its kernels for Haswell, this processor's are SkylakeX; unset "
            "OPENBLAS_CORETYPE where that is not meant");
  EXPECT_TRUE(foreign_kernels("Prescott", VectorLevel::avx2, "OpenBLAS 0.3", false)
                  .ends_with("; set OPENBLAS_CORETYPE=Haswell"));
}

/// (1 i)^H (2 + i) = (2 + i; -i (2 + i)) = (2 + i; 1 - 2i), times i: (-1 + 2i; 2 + i).
TEST(Gemm, ConjugatesComplexNumbers) {
  using Number = std::complex<double>;
  const auto bytes = [](auto& x) { return std::as_writable_bytes(std::span(x)).data(); };
  std::vector<Number> a{{1, 0}, {0, 1}}, b{{2, 1}}, c{{1, 1}, {1, 1}};  // A is 1 x 2 in memory
  const ProductForm form{{Precision::f64, true}, Op::conjugate_transpose, Op::none, {0, 1}};
  multiply_tiles(form, 2, 1, 1, bytes(a), bytes(b), bytes(c), COld::ignored);
  EXPECT_EQ(c, (std::vector<Number>{{-1, 2}, {2, 1}}));
}

TEST(Gemm, RefusesSizesBeyondOpenBlas) {
  double x = 0;
  EXPECT_THROW(gemm(std::int64_t{1} << 31, 1, 1, &x, 1, &x, 1, &x, 1), InputError);
  float y = 0;
  EXPECT_THROW(gemm(std::int64_t{1} << 31, 1, 1, &y, 1, &y, 1, &y, 1), InputError);
}

#ifndef FORETILE_SANITIZED
std::int64_t address_space_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  statm >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(BlasBuffers, TakenOnceTheyAreThere) {
  take_blas_buffers(2);
  const std::int64_t before = address_space_bytes();
  take_blas_buffers(2);
  EXPECT_LT(address_space_bytes(), before + kBlasBufferBytes);
}

/// With 100 MB of address space left, buffers for four threads are refused; OpenBLAS would ask for ever.
TEST(BlasBuffers, RefusedWhereTheAddressSpaceIsTooSmall) {
  const auto refused = [] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 100'000'000;
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    try {
      take_blas_buffers(4);
    } catch (const WorkError& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(refused(), testing::ExitedWithCode(7),
              "buffers of 536870912 bytes .537 MB. for 4 threads.*ulimit -v");
}
#endif

}  // namespace
}  // namespace foretile::blas_test
