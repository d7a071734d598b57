// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "executor/foretile.h"
#include "tests/executor/mpi/run_plan.hpp"

namespace {

constexpr std::array<double, 2> kOne{1, 0}, kZero{0, 0};

void expect_refused(foretile_status status, const std::string& text) {
  EXPECT_EQ(status, FORETILE_WRONG_INPUT);
  EXPECT_NE(std::string(foretile_message()).find(text), std::string::npos) << foretile_message();
}

/// Calls of the functions below.
struct Calls {
  std::atomic<int> fills = 0;  // on several threads
  int takes = 0;
  double sum = 0;
  int fails_at = -1;
};

/// A is 2, B is 3 everywhere.
int fill(void* context, char matrix, const foretile_tile* tile, void* to) {
  auto& calls = *static_cast<Calls*>(context);
  std::fill_n(static_cast<double*>(to), tile->rows * tile->columns, matrix == 'A' ? 2.0 : 3.0);
  return calls.fails_at == calls.fills++ ? 7 : 0;
}

int take(void* context, const foretile_tile* tile, const void* data, int64_t ld) {
  auto& calls = *static_cast<Calls*>(context);
  ++calls.takes;
  for (int64_t j = 0; j < tile->columns; ++j) {
    for (int64_t i = 0; i < tile->rows; ++i) calls.sum += static_cast<const double*>(data)[i + j * ld];
  }
  return 0;
}

/// Frees what it made.
struct Product {
  foretile_problem* problem = nullptr;
  foretile_multiplication* multiplication = nullptr;
  ~Product() {
    foretile_free(multiplication);
    foretile_free_problem(problem);
  }
};

// 7 x 5 elements of C, each the sum of 4 products 2 * 3: 24; all together 35 * 24.
TEST(CInterface, RunsOnCallbacks) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
  foretile_options options{};
  options.parameters = "strategy=grid-3d d=1";
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, &options, &product.multiplication), FORETILE_OK)
      << foretile_message();
  int64_t tiles = 0;
  ASSERT_EQ(foretile_tile_count(product.multiplication, 'C', &tiles), FORETILE_OK);
  EXPECT_EQ(tiles, 6);
  for (int run = 0; run < 2; ++run) {
    Calls calls;
    const foretile_storage storage{&calls, nullptr, fill, take};
    foretile_report report{};
    ASSERT_EQ(foretile_run(product.multiplication, &storage, &report), FORETILE_OK) << foretile_message();
    EXPECT_EQ(report.flops, 2.0 * 7 * 5 * 4);
    std::array<double, 2> sums{calls.sum, static_cast<double>(calls.takes)};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sums[0], 35 * 24.0);
    EXPECT_EQ(sums[1], 6);
  }
}

/// Numbers that change between two readings: the check meets others than the products did.
int fill_anew(void* context, char matrix, const foretile_tile* tile, void* to) {
  auto& calls = *static_cast<Calls*>(context);
  std::fill_n(static_cast<double*>(to), tile->rows * tile->columns,
              matrix == 'A' ? 2.0 : 3.0 + calls.fills++);
  return 0;
}

int fill_nan(void* context, char matrix, const foretile_tile* tile, void* to) {
  fill(context, matrix, tile, to);
  if (matrix == 'B' && tile->row == 1 && tile->column == 1)
    static_cast<double*>(to)[0] = std::numeric_limits<double>::quiet_NaN();
  return 0;
}

TEST(CInterface, ChecksOnCoresAndGpus) {
  for (const foretile_gpus gpus : {FORETILE_GPUS_NONE, FORETILE_GPUS_STAND_IN}) {
    Product product;
    ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
    foretile_options options{};
    options.platform = "summit";
    options.gpus = gpus;
    options.verify = options.check_finite = 1;
    ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, &options, &product.multiplication),
              FORETILE_OK)
        << foretile_message();
    Calls calls;
    foretile_storage storage{&calls, nullptr, fill, take};
    foretile_report report{};
    ASSERT_EQ(foretile_run(product.multiplication, &storage, &report), FORETILE_OK) << foretile_message();
    EXPECT_LT(report.relative_error, 1e-12);
    EXPECT_GT(report.allowed_error, report.relative_error);

    storage.fill = fill_anew;
    EXPECT_EQ(foretile_run(product.multiplication, &storage, &report), FORETILE_FAILED);
    EXPECT_NE(std::string(foretile_message()).find("the product is wrong: relative error"), std::string::npos)
        << foretile_message();
    EXPECT_GT(report.relative_error, report.allowed_error);

    storage.fill = fill_nan;
    const foretile_status status = foretile_run(product.multiplication, &storage, &report);
    expect_refused(status, "tile (1, 1) of B");
  }
}

/// The same in layouts: all of A and B on rank 0, C on the last rank, two elements between its columns.
TEST(CInterface, RunsInLayouts) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 0, &product.problem), FORETILE_OK);
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  const int self = foretile::world_rank(), last = foretile::world_size() - 1, first = 0;
  const int64_t rows = 7, columns = 5, inner = 4, zero = 0, c_ld = 9;
  foretile_layout *a_layout = nullptr, *b_layout = nullptr, *c_layout = nullptr;
  ASSERT_EQ(foretile_block_cyclic_layout(1, 1, &first, self, 7, 4, 2, 2, 0, 0, 7, &a_layout), FORETILE_OK);
  ASSERT_EQ(foretile_table_layout(&inner, 1, &columns, 1, &first, &zero, &inner, self, &b_layout),
            FORETILE_OK);
  ASSERT_EQ(foretile_table_layout(&rows, 1, &columns, 1, &last, &zero, &c_ld, self, &c_layout), FORETILE_OK);
  const std::vector<double> a(28, 2), b(20, 3);
  std::vector<double> c(45, -1), expected = c;
  EXPECT_EQ(foretile_run_in_layouts(product.multiplication, a_layout, a.data(), b_layout, b.data(), c_layout,
                                    c.data(), nullptr),
            FORETILE_OK)
      << foretile_message();
  for (int64_t j = 0; j < columns && self == last; ++j) std::fill_n(expected.begin() + j * c_ld, rows, 24);
  EXPECT_EQ(c, expected);
  for (foretile_layout* layout : {a_layout, b_layout, c_layout}) foretile_free_layout(layout);
}

/// A matrix in memory, `gap` elements between its columns, in tiles of 3 x 3.
struct GappedMatrix {
  GappedMatrix(int64_t rows, int64_t columns, int64_t gap, double number)
      : ld(rows + gap), numbers(static_cast<std::size_t>(ld * columns), kGap) {
    for (int64_t j = 0; j < columns; ++j) std::fill_n(numbers.begin() + j * ld, rows, number);
  }
  double* at(int64_t row, int64_t column) { return numbers.data() + row + column * ld; }

  static constexpr double kGap = -7;
  int64_t ld;
  std::vector<double> numbers;
};

struct GappedMatrices {
  GappedMatrix a{7, 4, 2, 2}, b{4, 5, 1, 3}, c{7, 5, 3, -1};
  int64_t told_ld = 0;  ///< instead of the right one
};

int place_with_gaps(void* context, char matrix, const foretile_tile* tile, void** data, int64_t* ld) {
  auto& all = *static_cast<GappedMatrices*>(context);
  GappedMatrix& of = matrix == 'A' ? all.a : matrix == 'B' ? all.b : all.c;
  *data = of.at(3 * tile->row, 3 * tile->column);
  *ld = all.told_ld != 0 ? all.told_ld : of.ld;
  return 0;
}

/// Of 7 x 5 elements of C, those of own tiles are 24; what is between columns stays.
TEST(CInterface, HonoursLeadingDimensionsOfCallbacks) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  GappedMatrices matrices;
  const foretile_storage storage{&matrices, place_with_gaps, nullptr, nullptr};
  ASSERT_EQ(foretile_run(product.multiplication, &storage, nullptr), FORETILE_OK) << foretile_message();
  GappedMatrix expected(7, 5, 3, -1);
  int64_t tiles = 0;
  ASSERT_EQ(foretile_tile_count(product.multiplication, 'C', &tiles), FORETILE_OK);
  for (int64_t number = 0; number < tiles; ++number) {
    foretile_tile tile{};
    ASSERT_EQ(foretile_get_tile(product.multiplication, 'C', number, &tile), FORETILE_OK);
    if (tile.owner != foretile::world_rank()) continue;
    for (int64_t j = 0; j < tile.columns; ++j)
      std::fill_n(expected.at(3 * tile.row, 3 * tile.column + j), tile.rows, 24.0);
  }
  EXPECT_EQ(matrices.c.numbers, expected.numbers);
}

TEST(CInterface, RefusesLeadingDimensionsThatCannotBe) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 0, &product.problem), FORETILE_OK);
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  GappedMatrices matrices;
  const foretile_storage storage{&matrices, place_with_gaps, nullptr, nullptr};
  for (const auto& [ld, text] : {std::pair(kMost, "places below 2^63 bytes"),
                                 {kMost / 16, "places below 2^63 bytes"},
                                 {int64_t{-1}, "at least"}}) {
    matrices.told_ld = ld;
    expect_refused(foretile_run(product.multiplication, &storage, nullptr), text);
  }
  matrices.told_ld = 0;
  EXPECT_EQ(foretile_run(product.multiplication, &storage, nullptr), FORETILE_OK) << foretile_message();
  const int self = foretile::world_rank();
  const int64_t rows = 7, columns = 4, zero = 0;
  foretile_layout* layout = nullptr;
  for (const int64_t ld : {kMost, kMost / 16, int64_t{6}}) {
    expect_refused(foretile_table_layout(&rows, 1, &columns, 1, &self, &zero, &ld, self, &layout),
                   ld > 6 ? "places below 2^63 bytes" : "at least 7");
  }
  expect_refused(foretile_table_layout(&rows, 1, &columns, 1, &self, &kMost, &rows, self, &layout),
                 "places below 2^63 bytes");
}

TEST(CInterface, RefusesWrongInput) {
  foretile_problem* problem = nullptr;
  expect_refused(foretile_dense_problem(0, 5, 4, 3, &problem), "m: found 0");
  expect_refused(foretile_dense_problem(7, 5, 4, -1, &problem), "tile: found -1");
  expect_refused(foretile_dense_problem(7, 5, 4, 3, nullptr), "NULL");
  expect_refused(foretile_problem_from_text("kind = \"dense\"\nm = x", &problem), "text:2");
  expect_refused(foretile_problem_from_file("/no/such/file.toml", &problem), "/no/such/file.toml");
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
  expect_refused(foretile_set_form(product.problem, 'q', 'N', 'N', kOne.data(), kZero.data()), "'q'");
  expect_refused(foretile_set_form(product.problem, 'd', 'X', 'N', kOne.data(), kZero.data()), "'X'");
  const std::array<double, 2> imaginary{0, 1};
  expect_refused(foretile_set_form(product.problem, 's', 'N', 'T', imaginary.data(), kZero.data()),
                 "imaginary");
  foretile_options options{};
  options.parameters = "strategy";
  expect_refused(foretile_create(MPI_COMM_WORLD, product.problem, &options, &product.multiplication),
                 "KEY=VALUE");
  options = {};
  options.gpus = 9;
  expect_refused(foretile_create(MPI_COMM_WORLD, product.problem, &options, &product.multiplication),
                 "gpus: found 9");
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  int64_t count = 0;
  expect_refused(foretile_tile_count(product.multiplication, 'D', &count), "'D'");
  foretile_tile tile;
  expect_refused(foretile_get_tile(product.multiplication, 'A', 99, &tile), "99");
}

/// What a callback returns ends the run on all ranks, which can run again.
TEST(CInterface, EndsWhereACallbackFails) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  Calls calls;
  calls.fails_at = foretile::world_rank() == 0 ? 0 : -1;
  const foretile_storage storage{&calls, nullptr, fill, take};
  EXPECT_EQ(foretile_run(product.multiplication, &storage, nullptr), FORETILE_FAILED);
  const std::string text = foretile_message();
  EXPECT_NE(text.find("`fill` returned 7"), std::string::npos) << text;
  calls.fails_at = -1;
  EXPECT_EQ(foretile_run(product.multiplication, &storage, nullptr), FORETILE_OK) << foretile_message();
}

/// Callers in C++ may throw what they like.
TEST(CInterface, EndsWhereACallbackThrows) {
  Product product;
  ASSERT_EQ(foretile_dense_problem(7, 5, 4, 3, &product.problem), FORETILE_OK);
  ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, nullptr, &product.multiplication), FORETILE_OK);
  const auto throws_text = [](void*, char, const foretile_tile*, void*) -> int {
    throw std::runtime_error("no such block");
  };
  const auto throws_number = [](void*, char, const foretile_tile*, void*) -> int { throw 7; };
  for (const auto& [callback, text] :
       {std::pair<decltype(foretile_storage::fill), const char*>(throws_text, "`fill` threw: no such block"),
        {throws_number, "`fill` threw: an exception of an unknown type"}}) {
    const foretile_storage storage{nullptr, nullptr, callback, nullptr};
    EXPECT_EQ(foretile_run(product.multiplication, &storage, nullptr), FORETILE_FAILED);
    EXPECT_NE(std::string(foretile_message()).find(text), std::string::npos) << foretile_message();
  }
}

}  // namespace
