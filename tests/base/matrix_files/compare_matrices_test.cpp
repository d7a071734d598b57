// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/compare_matrices.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "base/matrix_files/matrix_sums.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::compare_matrices_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

class CompareMatrices : public ScratchFolder {
 protected:
  MatrixPlace place(const std::string& name) const { return parse_matrix_place((folder_ / name).string()); }

  MatrixPlace write(const std::string& name, std::int64_t rows, const std::vector<double>& numbers) const {
    const MatrixFacts facts = dense_output(place(name), rows, std::ssize(numbers) / rows, {});
    MatrixOutput output(place(name), facts, true);
    MatrixWriter writer(output.ticket(), facts);
    writer.write({0, 0, facts.rows, facts.columns}, reinterpret_cast<const std::byte*>(numbers.data()), rows);
    writer.close();
    output.finish();
    return place(name);
  }

  MatrixDifference compare(const MatrixPlace& x, const MatrixPlace& y, std::int64_t tile = 2,
                           std::size_t most = 2) const {
    return compare_matrices(x, *open_matrix(x), y, *open_matrix(y), tile, most);
  }
};

// 3 x 3, column-major: differences 3 at (0, 0), -4 at (2, 1), 12 at (0, 2). Norm sqrt(9 + 16 + 144) = 13. The
// reference has 26 once: relative 0.5. Tiles of 2: (0, 0), (1, 0) and (0, 1) with 3, 4 and 12.
TEST_F(CompareMatrices, ByHand) {
  const auto d = compare(write("x.npy", 3, {3, 0, 0, 26, 0, -4, 12, 0, 0}),
                         write("y.npy", 3, {0, 0, 0, 26, 0, 0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(d.norm, 13);
  EXPECT_DOUBLE_EQ(d.reference_norm, 26);
  EXPECT_DOUBLE_EQ(d.relative, 0.5);
  EXPECT_EQ(d.not_finite, 0);
  EXPECT_EQ(d.largest, 12);
  EXPECT_EQ(d.largest_row, 0);
  EXPECT_EQ(d.largest_column, 2);
  ASSERT_EQ(d.worst.size(), 2U);
  EXPECT_EQ(d.worst[0].norm, 12);
  EXPECT_EQ(d.worst[0].place.column, 2);
  EXPECT_EQ(d.worst[0].place.columns, 1);
  EXPECT_EQ(d.worst[1].norm, 4);
  EXPECT_EQ(d.worst[1].place.row, 2);
}

TEST_F(CompareMatrices, WhatIsNoFiniteNumber) {
  const auto same = compare(write("x.npy", 1, {kInfinity, 1}), write("y.npy", 1, {kInfinity, 1}));
  EXPECT_EQ(same.norm, 0);
  EXPECT_EQ(same.relative, 0);
  const auto nan = compare(write("x.npy", 1, {kNaN, 1, 5, 0}), write("y.npy", 1, {kNaN, 2, 0, 0}));
  EXPECT_TRUE(std::isnan(nan.norm));
  EXPECT_TRUE(std::isnan(nan.relative));
  EXPECT_EQ(nan.not_finite, 1);
  EXPECT_EQ(nan.largest, 5);
  EXPECT_TRUE(std::isnan(nan.worst[0].norm));
  EXPECT_EQ(nan.worst[1].norm, 5);
  EXPECT_TRUE(std::isinf(compare(write("x.npy", 1, {kInfinity}), write("y.npy", 1, {1})).norm));
  EXPECT_TRUE(std::isinf(compare(write("x.npy", 1, {1}), write("y.npy", 1, {0})).relative));
}

// Squares of 1e300 are beyond the range of double.
TEST_F(CompareMatrices, LargeNumbers) {
  EXPECT_DOUBLE_EQ(compare(write("x.npy", 1, {3e300, 0}), write("y.npy", 1, {0, 4e300})).norm, 5e300);
}

TEST_F(CompareMatrices, SparseOnesOfAnySize) {
  const auto write_sparse =
      [&](const std::string& name, const std::string& entries) {
        std::ofstream(folder_ / name)
            << "%%MatrixMarket matrix coordinate real general\n1000000000000000 4000000000 " << entries;
        return place(name);
      };
  const auto d = compare(write_sparse("x.mtx", "2\n1000000000000000 7 4\n1 1 3\n"),
                         write_sparse("y.mtx", "1\n1 1 3\n"), 1000);
  EXPECT_DOUBLE_EQ(d.norm, 4);
  EXPECT_EQ(d.largest_row, 999999999999999);
  EXPECT_EQ(d.largest_column, 6);
}

TEST_F(CompareMatrices, RefusesOtherExtentsAndTypes) {
  EXPECT_THROW(compare(write("x.npy", 2, {1, 2}), write("y.npy", 1, {1, 2})), InputError);
  std::ofstream(folder_ / "c.mtx") << "%%MatrixMarket matrix coordinate complex general\n2 1 0\n";
  EXPECT_THROW(compare(place("x.npy"), place("c.mtx")), InputError);
}

// Against a sum over all elements, for each format and random sizes of tiles.
TEST_F(CompareMatrices, RandomMatrices) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const std::int64_t rows = 1 + random() % 40, columns = 1 + random() % 40;
    std::vector<double> x(static_cast<std::size_t>(rows * columns)), y(x.size());
    double squares = 0, own = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = number(random), y[i] = number(random);
      squares += (x[i] - y[i]) * (x[i] - y[i]);
      own += x[i] * x[i];
    }
    const MatrixPlace second = write(FORETILE_HAS_HDF5 ? "y.h5:/Y" : "y.npy", rows, y);
    const auto d = compare(write("x.npy", rows, x), second, 1 + random() % 50, 1000);
    EXPECT_NEAR(d.norm, std::sqrt(squares), 1e-12);
    double of_tiles = 0;
    for (const TileDifference& tile : d.worst) of_tiles += tile.norm * tile.norm;
    EXPECT_NEAR(of_tiles, squares, 1e-10);
    const MatrixSums sums = sums_of(*open_matrix(place("x.npy")));
    EXPECT_NEAR(sums.norm(), std::sqrt(own), 1e-12);
    EXPECT_EQ(sums.nonzeros, rows * columns);
  }
}

}  // namespace
}  // namespace foretile::compare_matrices_test
