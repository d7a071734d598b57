// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/distributed_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/problem/kinds/tiles.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/executor/mpi/tiles_in_memory.hpp"

namespace foretile::distributed_check_test {
namespace {

const std::vector<std::string> kStrategies{"stationary-b", "local-b", "stationary-c", "grid-3d"};

struct Case {
  Contraction p;
  std::string strategy;
};

/// More ranks than cores take long to wait for each other.
std::uint64_t few(std::uint64_t usual) {
  return world_size() < 3 ? usual : usual / 4;
}

/// Elements, operations, factors and strategy at random.
Case random_case(std::uint64_t seed) {
  Random random(seed + 9100);
  Case one{random_contraction({.m = random.integer(20, 60),
                               .n = random.integer(20, 60),
                               .k = random.integer(20, 60),
                               .tile_min = 5,
                               .tile_max = 12,
                               .a_density = 0.6,
                               .b_density = 0.6,
                               .seed = seed}),
           {}};
  one.strategy = kStrategies[static_cast<std::size_t>(random.integer(0, 3))];
  const bool dense_plan = one.strategy == "stationary-c" || one.strategy == "grid-3d";
  one.p.sources.b = dense_plan ? Source::given : Source::generated;
  one.p.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
  one.p.complex_elements = random.integer(0, 1) == 1;
  one.p.a_op = static_cast<Op>(random.integer(0, 2));
  one.p.b_op = static_cast<Op>(random.integer(0, 2));
  one.p.alpha = random.integer(0, 1) == 0 ? 1 : -0.75;
  one.p.beta = std::array{0.0, 1.0, -0.5}[static_cast<std::size_t>(random.integer(0, 2))];
  return one;
}

MultiplicationOptions options_of(const Case& one) {
  MultiplicationOptions options;
  options.parameters = {{"strategy", one.strategy}};
  return options;
}

std::string text_of(const Case& one, std::uint64_t seed) {
  return fmt::format("seed {}, {}, {}, {} ranks", seed, one.strategy, name_of(one.p.element()), world_size());
}

TEST(DistributedCheck, RightProductsPass) {
  for (std::uint64_t seed = 0; seed < few(30); ++seed) {
    const Case one = random_case(seed);
    SCOPED_TRACE(text_of(one, seed));
    MultiplicationOptions options = options_of(one);
    options.verify = true;
    Multiplication product(MPI_COMM_WORLD, one.p, options);
    TilesInMemory tiles(product, seed % 2 == 0);
    if (seed % 3 == 0) tiles.make_positive();
    const MultiplicationReport report = product.run(tiles);
    ASSERT_TRUE(report.check);
    EXPECT_TRUE(report.check->passed()) << report.check->relative_error << ' ' << report.check->allowed_error;
    EXPECT_TRUE(report.check->worst);
  }
}

/// A run and what the check needs of it.
class Checked {
 public:
  explicit Checked(const Case& one, std::int64_t bytes = std::int64_t{1} << 28)
      : product(MPI_COMM_WORLD, one.p, options_of(one)),
        tiles(product, true),
        check(product.contraction(), product.work().plan, MPI_COMM_WORLD, {.threads = 2, .bytes = bytes}) {
    check.add_initial(product.own_tiles(Matrix::c), tiles);
    product.run(tiles);
  }
  CheckResult result() {
    for (const TileId tile : product.own_tiles(Matrix::c))
      check.add_final(tile, *tiles.in_place({Matrix::c, tile}));
    return check.result(tiles);
  }

  Multiplication product;
  TilesInMemory tiles;
  DistributedCheck check;
};

TEST(DistributedCheck, FindsOneWrongNumberOfC) {
  for (std::uint64_t seed = 0; seed < few(16); ++seed) {
    const Case one = random_case(seed);
    SCOPED_TRACE(text_of(one, seed));
    Checked run(one, seed % 2 == 0 ? 1 : std::int64_t{1} << 28);
    const TileId wrong = Random(seed).integer(0, one.p.c.nonzeros() - 1);
    const TileRef c{Matrix::c, wrong};
    if (run.tiles.has(c)) run.tiles.set_first(c, run.tiles.first(c) + 0.1);
    const CheckResult result = run.result();
    EXPECT_FALSE(result.passed()) << result.relative_error << ' ' << result.allowed_error;
    ASSERT_TRUE(result.worst);
    EXPECT_EQ(result.worst->row, one.p.c.row_of(wrong));
    EXPECT_EQ(result.worst->column, one.p.c.column_of(wrong));
    EXPECT_EQ(result.worst->rank, run.product.owner(c));
  }
}

/// Whatever it was multiplied with: the test reads A again.
TEST(DistributedCheck, FindsWhatChangedInAOrB) {
  for (std::uint64_t seed = 0; seed < few(16); ++seed) {
    const Case one = random_case(seed);
    SCOPED_TRACE(text_of(one, seed));
    Checked run(one);
    const Matrix matrix = seed % 2 == 0 ? Matrix::a : Matrix::b;
    TileId used = 0;  // by a product
    const Shape& other = matrix == Matrix::a ? one.p.b : one.p.a;
    const auto has_partner = [&](TileId tile) {
      return matrix == Matrix::a ? !other.row(one.p.a.column_of(tile)).empty()
                                 : !other.column(one.p.b.row_of(tile)).empty();
    };
    while (!has_partner(used)) ++used;
    run.tiles.set_first({matrix, used}, seed % 4 < 2 ? std::numeric_limits<double>::quiet_NaN() : 30);
    const CheckResult result = run.result();
    EXPECT_FALSE(result.passed()) << result.relative_error << ' ' << result.allowed_error;
    ASSERT_TRUE(result.worst);
    if (matrix == Matrix::a) {
      EXPECT_EQ(result.worst->row, one.p.a.row_of(used));
    } else {
      EXPECT_EQ(result.worst->column, one.p.b.column_of(used));
    }
  }
}

/// A = 2, B = 3, the initial C = 5, C = A B - C = 1. When C is 2 instead, C x - w is x, with 1/2 <= |x| <
/// 3/2, and S = 1.5 (2 * 3 + 5) = 16.5.
TEST(DistributedCheck, ErrorOfOneElement) {
  TilesParameters parameters;
  parameters.m_tiles = parameters.n_tiles = parameters.k_tiles = {1};
  parameters.a = parameters.b = {{0, 0, 1}};
  Case one{tiles_contraction(parameters), "stationary-c"};
  one.p.sources.b = Source::given;
  one.p.beta = -1;
  Multiplication product(MPI_COMM_WORLD, one.p, options_of(one));
  const TilesInMemory tiles(product, true);
  tiles.set_first({Matrix::a, 0}, 2);
  tiles.set_first({Matrix::b, 0}, 3);
  const TileRef c{Matrix::c, 0};
  DistributedCheck check(product.contraction(), product.work().plan, MPI_COMM_WORLD);
  if (tiles.has(c)) tiles.set_first(c, 5);
  check.add_initial(product.own_tiles(Matrix::c), tiles);
  product.run(tiles);
  if (tiles.has(c)) {
    EXPECT_EQ(tiles.first(c), 1);
    tiles.set_first(c, 2);
    check.add_final(0, tiles.view(c));
  }
  const CheckResult result = check.result(tiles);
  EXPECT_GE(result.relative_error, 0.5 / 16.5);
  EXPECT_LT(result.relative_error, 1.5 / 16.5);
}

TEST(DistributedCheck, MissingTilesEndAll) {
  Checked run(random_case(1));
  EXPECT_THROW(run.check.result(run.tiles), WorkError);
}

/// Each numeral of the message is checked: the tile and the rank that owns it.
TEST(FiniteCheck, NamesTheTile) {
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    Case one = random_case(2);
    one.p.beta = 1;
    MultiplicationOptions options = options_of(one);
    options.check_finite = true;
    Multiplication product(MPI_COMM_WORLD, one.p, options);
    const TilesInMemory tiles(product, true);
    const TileId bad = shape_of(one.p, matrix).nonzeros() - 1;
    if (tiles.has({matrix, bad})) tiles.set_first({matrix, bad}, -std::numeric_limits<double>::infinity());
    std::string message;
    try {
      product.run(tiles);
    } catch (const std::exception& error) {
      message = error.what();
    }
    const bool distributed = matrix == Matrix::b && one.p.sources.b == Source::generated;
    const Rank holder =
        distributed ? Rank::of(static_cast<int>(bad % world_size())) : product.owner({matrix, bad});
    const Shape& shape = shape_of(one.p, matrix);
    EXPECT_NE(message.find(holder == world_rank()
                               ? fmt::format("tile ({}, {}) of ", shape.row_of(bad), shape.column_of(bad))
                               : "another rank failed"),
              std::string::npos)
        << message;
  }
}

TEST(FiniteCheck, FiniteNumbersPass) {
  Case one = random_case(3);
  MultiplicationOptions options = options_of(one);
  options.check_finite = options.verify = true;
  Multiplication product(MPI_COMM_WORLD, one.p, options);
  EXPECT_TRUE(product.run(TilesInMemory(product, true)).check->passed());
}

}  // namespace
}  // namespace foretile::distributed_check_test
