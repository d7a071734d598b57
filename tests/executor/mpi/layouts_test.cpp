// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices that are in random layouts on the ranks of this job, by Multiplication and by
// foretile_pdgemm, beside a plain sum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/layout/block_cyclic.hpp"
#include "executor/layout/owner_table.hpp"
#include "executor/multiplication.hpp"
#include "executor/pdgemm.h"
#include "planner/problem/kinds/dense.hpp"
#include "tests/executor/mpi/blacs_stand_in.hpp"
#include "tests/executor/mpi/environment.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::layouts_test {
namespace {

/// FORETILE_TEST_LAYOUTS=500 is for a run by hand.
std::uint64_t problems() {
  const char* const wanted = std::getenv("FORETILE_TEST_LAYOUTS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 50;
}

Rank self() {
  return rank_in(MPI_COMM_WORLD);
}

using Number = std::complex<long double>;

/// Element (i, j) of a matrix as it is stored, rounded to its type.
Number element_of(std::uint64_t seed, Matrix matrix, ElementType type, std::int64_t i, std::int64_t j) {
  Random random(seed * 3 + static_cast<std::uint64_t>(matrix) +
                static_cast<std::uint64_t>(i * 4096 + j) * 1'000'003);
  const auto real = [&]() -> long double {
    const double number = 2 * random.real() - 1;
    return type.precision == Precision::f64 ? number : static_cast<float>(number);
  };
  const long double first = real();
  return {first, type.is_complex ? real() : 0.0L};
}

template <class Real>
void write_number(std::byte* to, ElementType type, Number number) {
  const Real parts[2] = {static_cast<Real>(number.real()), static_cast<Real>(number.imag())};
  std::memcpy(to, parts, type.is_complex ? sizeof parts : sizeof parts[0]);
}

template <class Real>
Number read_number(const std::byte* from, ElementType type) {
  Real parts[2] = {0, 0};
  std::memcpy(parts, from, type.is_complex ? sizeof parts : sizeof parts[0]);
  return {parts[0], parts[1]};
}

/// The memory of this rank, with a mark where the matrix has no element.
class LocalMatrix {
 public:
  LocalMatrix(std::shared_ptr<const Layout> layout, ElementType type, std::uint64_t seed, Matrix matrix)
      : layout_(std::move(layout)), type_(type) {
    std::int64_t end = 0;
    for_each_own([&](std::int64_t, std::int64_t, std::int64_t at) { end = std::max(end, at + 1); });
    memory_.assign(static_cast<std::size_t>((end + 3) * type.bytes()), kMark);
    for_each_own([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      const Number number = element_of(seed, matrix, type, i, j);
      std::byte* const to = memory_.data() + at * type.bytes();
      type.precision == Precision::f64 ? write_number<double>(to, type, number)
                                       : write_number<float>(to, type, number);
    });
    initial_ = memory_;
  }

  DistributedMatrix get() { return {layout_, memory_.data()}; }
  std::byte* data() { return memory_.data(); }
  bool unchanged() const { return memory_ == initial_; }

  /// Visits (i, j, the number), and checks that nothing else was written.
  template <class Visit>
  void for_each_number(const Visit& visit) const {
    std::vector<std::byte> others = memory_;
    for_each_own([&](std::int64_t i, std::int64_t j, std::int64_t at) {
      const std::byte* const from = memory_.data() + at * type_.bytes();
      visit(i, j,
            type_.precision == Precision::f64 ? read_number<double>(from, type_)
                                              : read_number<float>(from, type_));
      std::copy_n(initial_.begin() + at * type_.bytes(), type_.bytes(), others.begin() + at * type_.bytes());
    });
    EXPECT_EQ(others, initial_) << "memory between the elements was written";
  }

 private:
  static constexpr std::byte kMark{0x5a};

  template <class Visit>
  void for_each_own(const Visit& visit) const {
    layout_->for_each_part({0, 0, layout_->rows(), layout_->columns()}, [&](const MatrixPart& part) {
      if (part.rank != self()) return;
      for (std::int64_t j = 0; j < part.where.columns; ++j) {
        for (std::int64_t i = 0; i < part.where.rows; ++i)
          visit(part.where.row + i, part.where.column + j, part.at + i + j * part.ld);
      }
    });
  }

  std::shared_ptr<const Layout> layout_;
  ElementType type_;
  std::vector<std::byte> memory_, initial_;
};

/// op(X)(i, j).
Number entry(const Contraction& p, std::uint64_t seed, Matrix matrix, Op op, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return element_of(seed, matrix, p.element(), i, j);
  const Number number = element_of(seed, matrix, p.element(), j, i);
  return op == Op::conjugate_transpose ? std::conj(number) : number;
}

/// Each own element of C beside the sum, relative to the sum of absolute values.
double largest_error(const Contraction& p, std::uint64_t seed, const LocalMatrix& c) {
  long double largest = 0;
  const Number alpha(p.alpha.real(), p.alpha.imag()), beta(p.beta.real(), p.beta.imag());
  c.for_each_number([&](std::int64_t i, std::int64_t j, Number found) {
    const Number initial = element_of(seed, Matrix::c, p.element(), i, j);
    Number sum = p.reads_c() ? beta * initial : Number(0);
    long double size = std::abs(sum) + 1e-3L;
    for (std::int64_t k = 0; k < p.k.extent(); ++k) {
      const Number product =
          alpha * entry(p, seed, Matrix::a, p.a_op, i, k) * entry(p, seed, Matrix::b, p.b_op, k, j);
      sum += product;
      size += std::abs(product);
    }
    largest = std::max(largest, std::abs(found - sum) / size);
  });
  return static_cast<double>(largest);
}

double allowed(const Contraction& p) {
  return p.precision == Precision::f64 ? 1e-12 : 1e-5;
}

BlacsGrid random_grid(Random& random) {
  const int ranks = size_of(MPI_COMM_WORLD);
  BlacsGrid grid;
  grid.rows = static_cast<int>(random.integer(1, ranks));
  grid.columns = static_cast<int>(random.integer(1, ranks / grid.rows));
  for (int place = 0; place < grid.rows * grid.columns; ++place) grid.ranks.push_back(Rank::of(place));
  for (std::size_t place = grid.ranks.size(); place-- > 1;)
    std::swap(grid.ranks[place],
              grid.ranks[static_cast<std::size_t>(random.integer(0, static_cast<int>(place)))]);
  for (std::size_t place = 0; place < grid.ranks.size(); ++place) {
    if (grid.ranks[place] != self()) continue;
    grid.row = static_cast<int>(place) / grid.columns;
    grid.column = static_cast<int>(place) % grid.columns;
  }
  return grid;
}

BlockCyclicShape random_blocks(const BlacsGrid& grid, std::int64_t rows, std::int64_t columns,
                               Random& random) {
  BlockCyclicShape shape{rows,
                         columns,
                         random.integer(1, 9),
                         random.integer(1, 9),
                         static_cast<int>(random.integer(0, grid.rows - 1)),
                         static_cast<int>(random.integer(0, grid.columns - 1)),
                         0};
  shape.ld = rows + random.integer(1, 3);
  return shape;
}

Tiling random_tiling(std::int64_t extent, Random& random) {
  std::vector<std::int64_t> cuts{0};
  while (cuts.back() < extent) cuts.push_back(std::min(extent, cuts.back() + random.integer(1, 12)));
  return Tiling(cuts);
}

/// Tiles one behind the other on each rank, with room between columns and tiles.
std::shared_ptr<const Layout> random_table(std::int64_t rows, std::int64_t columns, Random& random) {
  const Tiling row_tiles = random_tiling(rows, random), column_tiles = random_tiling(columns, random);
  std::vector<Rank> owners;
  std::vector<TilePlace> places;
  std::map<int, std::int64_t> ends;
  for (std::int32_t j = 0; j < column_tiles.tiles(); ++j) {
    for (std::int32_t i = 0; i < row_tiles.tiles(); ++i) {
      owners.push_back(Rank::of(random.integer(0, size_of(MPI_COMM_WORLD) - 1)));
      const std::int64_t ld = row_tiles.size(i) + random.integer(0, 2);
      places.push_back({ends[owners.back()] + random.integer(0, 2), ld});
      ends[owners.back()] = places.back().at + ld * column_tiles.size(j);
    }
  }
  return std::make_shared<OwnerTable>(row_tiles, column_tiles, owners, places, self());
}

std::shared_ptr<const Layout> random_layout(std::int64_t rows, std::int64_t columns, Random& random) {
  const std::int64_t kind = random.integer(0, 2);
  if (kind == 0) return random_table(rows, columns, random);
  const BlacsGrid grid = random_grid(random);
  if (kind == 1) return std::make_shared<BlockCyclic>(contiguous(grid, rows, columns, rows));
  const std::int64_t above = random.integer(0, 5), left = random.integer(0, 5);
  const std::int64_t right = random.integer(0, 5), below = random.integer(0, 5);
  return std::make_shared<BlockCyclic>(
      grid, random_blocks(grid, rows + above + below, columns + left + right, random),
      MatrixRectangle{above, left, rows, columns});
}

Contraction random_product(Random& random) {
  DenseParameters parameters;
  parameters.m = random.integer(1, 40);
  parameters.n = random.integer(1, 40);
  parameters.k = random.integer(1, 40);
  parameters.tile = random.integer(3, 20);
  Contraction p = dense_contraction(parameters);
  p.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
  p.complex_elements = random.integer(0, 1) == 1;
  p.a_op = static_cast<Op>(random.integer(0, 2));
  p.b_op = static_cast<Op>(random.integer(0, 2));
  const auto factor = [&]() -> std::complex<double> {
    return {3 * random.real() - 1.5, p.complex_elements ? random.real() : 0.0};
  };
  p.alpha = random.integer(0, 3) == 0 ? 1 : factor();
  p.beta = random.integer(0, 1) == 0 ? 0 : factor();
  return p;
}

/// As it is stored.
std::pair<std::int64_t, std::int64_t> extents(Op op, std::int64_t rows, std::int64_t columns) {
  return op == Op::none ? std::pair(rows, columns) : std::pair(columns, rows);
}

MultiplicationOptions on_gpus() {
  return {.platform = "summit", .gpus = on_cuda() ? GpuChoice::cuda : GpuChoice::stand_in, .parameters = {}};
}

TEST(Layouts, ProductsAreRight) {
  for (std::uint64_t seed = 0; seed < problems(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed + 77'000);
    const Contraction p = random_product(random);
    const auto [a_rows, a_columns] = extents(p.a_op, p.m.extent(), p.k.extent());
    const auto [b_rows, b_columns] = extents(p.b_op, p.k.extent(), p.n.extent());
    LocalMatrix a(random_layout(a_rows, a_columns, random), p.element(), seed, Matrix::a);
    LocalMatrix b(random_layout(b_rows, b_columns, random), p.element(), seed, Matrix::b);
    LocalMatrix c(random_layout(p.m.extent(), p.n.extent(), random), p.element(), seed, Matrix::c);
    const bool gpus = seed % 2 == 1 && p.precision == Precision::f64;  // summit has no figures for single
    Multiplication product(MPI_COMM_WORLD, p, gpus ? on_gpus() : MultiplicationOptions{});
    product.run(a.get(), b.get(), c.get());
    EXPECT_LE(largest_error(p, seed, c), allowed(p));
    EXPECT_TRUE(a.unchanged());
    EXPECT_TRUE(b.unchanged());
  }
}

/// The next run may have other layouts.
TEST(Layouts, ChangeBetweenRuns) {
  Random random(5);
  Contraction p = random_product(random);
  p.beta = 0;
  p.precision = Precision::f64;
  std::vector<std::unique_ptr<Multiplication>> products;
  products.push_back(std::make_unique<Multiplication>(MPI_COMM_WORLD, p));
  products.push_back(std::make_unique<Multiplication>(MPI_COMM_WORLD, p, on_gpus()));
  for (int run = 0; run < 8; ++run) {
    const auto [a_rows, a_columns] = extents(p.a_op, p.m.extent(), p.k.extent());
    const auto [b_rows, b_columns] = extents(p.b_op, p.k.extent(), p.n.extent());
    LocalMatrix a(random_layout(a_rows, a_columns, random), p.element(), 5, Matrix::a);
    LocalMatrix b(random_layout(b_rows, b_columns, random), p.element(), 5, Matrix::b);
    LocalMatrix c(random_layout(p.m.extent(), p.n.extent(), random), p.element(), 5, Matrix::c);
    products[static_cast<std::size_t>(run % 2)]->run(a.get(), b.get(), c.get());
    EXPECT_LE(largest_error(p, 5, c), allowed(p));
  }
}

/// All ranks throw, and the object still works.
TEST(Layouts, RefusesOtherExtents) {
  Random random(6);
  DenseParameters parameters;
  parameters.m = 8;
  parameters.n = 6;
  parameters.k = 4;
  parameters.tile = 3;
  const Contraction p = dense_contraction(parameters);
  Multiplication product(MPI_COMM_WORLD, p);
  LocalMatrix a(random_layout(8, 4, random), p.element(), 6, Matrix::a);
  LocalMatrix wrong(random_layout(6, 4, random), p.element(), 6, Matrix::b);
  LocalMatrix b(random_layout(4, 6, random), p.element(), 6, Matrix::b);
  LocalMatrix c(random_layout(8, 6, random), p.element(), 6, Matrix::c);
  try {
    product.run(a.get(), wrong.get(), c.get());
    ADD_FAILURE() << "was taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "layout of B: found 6 x 4, expected 4 x 6, as the contraction has it");
  } catch (const WorkError&) {
    EXPECT_NE(self(), 0);
  }
  product.run(a.get(), b.get(), c.get());
  EXPECT_LE(largest_error(p, 6, c), 1e-12);
}

/// A descriptor and what it describes.
struct Described {
  std::array<int, 9> descriptor;
  int row, column;
  std::shared_ptr<const Layout> layout;
};

Described random_described(const BlacsGrid& grid, std::int64_t rows, std::int64_t columns, int block,
                           Random& random) {
  const std::int64_t above = random.integer(0, 4), left = random.integer(0, 4);
  BlockCyclicShape shape = random_blocks(grid, rows + above, columns + left, random);
  if (block > 0) {
    shape.row_block = shape.column_block = block;
    shape.row_source = shape.column_source = 0;
  }
  const MatrixRectangle of{block > 0 ? 0 : above, block > 0 ? 0 : left, rows, columns};
  return {{1, 0, static_cast<int>(shape.rows), static_cast<int>(shape.columns),
           static_cast<int>(shape.row_block), static_cast<int>(shape.column_block), shape.row_source,
           shape.column_source, static_cast<int>(shape.ld)},
          static_cast<int>(of.row) + 1,
          static_cast<int>(of.column) + 1,
          std::make_shared<BlockCyclic>(grid, shape, of)};
}

template <class Real, class Gemm>
void call_pgemm(const Gemm& gemm, const Contraction& p, const Described& da, const Described& db,
                const Described& dc, LocalMatrix& a, LocalMatrix& b, LocalMatrix& c) {
  const char ops[] = {'N', 'T', 'C'};
  const int m = static_cast<int>(p.m.extent()), n = static_cast<int>(p.n.extent()),
            k = static_cast<int>(p.k.extent());
  const Real alpha[2] = {static_cast<Real>(p.alpha.real()), static_cast<Real>(p.alpha.imag())};
  const Real beta[2] = {static_cast<Real>(p.beta.real()), static_cast<Real>(p.beta.imag())};
  gemm(&ops[static_cast<int>(p.a_op)], &ops[static_cast<int>(p.b_op)], &m, &n, &k, alpha,
       reinterpret_cast<const Real*>(a.data()), &da.row, &da.column, da.descriptor.data(),
       reinterpret_cast<const Real*>(b.data()), &db.row, &db.column, db.descriptor.data(), beta,
       reinterpret_cast<Real*>(c.data()), &dc.row, &dc.column, dc.descriptor.data());
}

/// Any blocks and offsets, and equal ones, where matrices are used in place. Each call twice: the second
/// finds the plan of the first.
TEST(Layouts, PdgemmIsRight) {
  for (std::uint64_t seed = 0; seed < problems(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed + 99'000);
    Contraction p = random_product(random);
    if (p.precision == Precision::f32) {  // as the arguments say
      p.alpha = std::complex<double>(std::complex<float>(p.alpha));
      p.beta = std::complex<double>(std::complex<float>(p.beta));
    }
    BlacsGrid grid = random_grid(random);
    std::iota(grid.ranks.begin(), grid.ranks.end(), Rank(0));
    const bool inside = self() < std::ssize(grid.ranks);
    grid.row = inside ? self() / grid.columns : -1;
    grid.column = inside ? self() % grid.columns : -1;
    blacs_stand_in() = {grid.rows, grid.columns};
    const int block = static_cast<int>(random.integer(0, 1) * random.integer(1, 8));
    const auto [a_rows, a_columns] = extents(p.a_op, p.m.extent(), p.k.extent());
    const auto [b_rows, b_columns] = extents(p.b_op, p.k.extent(), p.n.extent());
    const Described da = random_described(grid, a_rows, a_columns, block, random);
    const Described db = random_described(grid, b_rows, b_columns, block, random);
    const Described dc = random_described(grid, p.m.extent(), p.n.extent(), block, random);
    for (int call = 0; call < 2; ++call) {
      LocalMatrix a(da.layout, p.element(), seed, Matrix::a), b(db.layout, p.element(), seed, Matrix::b),
          c(dc.layout, p.element(), seed, Matrix::c);
      if (p.precision == Precision::f64) {
        call_pgemm<double>(p.complex_elements ? foretile_pzgemm_ : foretile_pdgemm_, p, da, db, dc, a, b, c);
      } else {
        call_pgemm<float>(p.complex_elements ? foretile_pcgemm_ : foretile_psgemm_, p, da, db, dc, a, b, c);
      }
      EXPECT_LE(largest_error(p, seed, c), allowed(p));
      EXPECT_TRUE(a.unchanged());
      EXPECT_TRUE(b.unchanged());
    }
  }
}

/// The three arrays take two thirds of what is installed, on an estimated machine. Their blocks come out
/// even.
TEST(Layouts, PdgemmOfMatricesThatFillTheMemory) {
  constexpr std::int64_t block = 64, least = 167;  // a megabyte is the least memory that can be said
  const std::int64_t even = block * world_size(), extent = (least + even - 1) / even * even;
  const Environment memory("FORETILE_MEMORY", std::to_string(3 * extent * extent * 8 * 3 / 2));
  const Environment nothing("XDG_CONFIG_HOME", "/nonexistent");
  DenseParameters parameters;
  parameters.m = parameters.n = parameters.k = parameters.tile = extent;
  const Contraction p = dense_contraction(parameters);
  BlacsGrid grid{1, world_size(), 0, self(), {}};
  for (int rank = 0; rank < world_size(); ++rank) grid.ranks.push_back(Rank::of(rank));
  blacs_stand_in() = {1, world_size()};
  Random random(1);
  const Described d = random_described(grid, extent, extent, block, random);
  LocalMatrix a(d.layout, p.element(), 1, Matrix::a), b(d.layout, p.element(), 1, Matrix::b),
      c(d.layout, p.element(), 1, Matrix::c);
  call_pgemm<double>(foretile_pdgemm_, p, d, d, d, a, b, c);
  EXPECT_LE(largest_error(p, 1, c), allowed(p));
}

/// The caller's small tiles are no tiles of 44: the 1.2 MB of A, B and C are copied. A refused run leaves
/// nothing there.
TEST(Layouts, TheTilesThatAreCopiedCountAgainAfterARefusal) {
  constexpr std::int64_t extent = 220;
  DenseParameters parameters;
  parameters.m = parameters.n = parameters.k = extent;
  parameters.tile = 44;
  const Contraction p = dense_contraction(parameters);
  Random random(1);
  const auto layout = random_table(extent, extent, random);
  LocalMatrix a(layout, p.element(), 1, Matrix::a), b(layout, p.element(), 1, Matrix::b),
      c(layout, p.element(), 1, Matrix::c);
  Multiplication product(MPI_COMM_WORLD, p);
  {
    const Environment memory("FORETILE_MEMORY", "1 MB");
    for (int run = 0; run < 2; ++run)
      EXPECT_THROW(product.run(a.get(), b.get(), c.get()), std::runtime_error) << run;
  }
  product.run(a.get(), b.get(), c.get());
  EXPECT_LE(largest_error(p, 1, c), allowed(p));
}

/// Without products C is scaled; without a C nothing happens.
TEST(Layouts, PdgemmOfNothing) {
  BlacsGrid grid{1, world_size(), 0, self(), {}};
  for (int rank = 0; rank < world_size(); ++rank) grid.ranks.push_back(Rank::of(rank));
  blacs_stand_in() = {1, world_size()};
  const BlockCyclicShape shape{6, 5, 2, 2, 0, 0, 6};
  const auto layout = std::make_shared<BlockCyclic>(grid, shape);
  const std::array<int, 9> descriptor{1, 0, 6, 5, 2, 2, 0, 0, 6};
  const ElementType type;
  const int one = 1;
  for (const auto& [m, k, alpha, beta] :
       {std::tuple(6, 0, 1.0, 2.0), {6, 4, 0.0, 0.0}, {6, 5, 0.0, -1.0}, {0, 5, 1.0, 3.0}}) {
    LocalMatrix a(layout, type, 1, Matrix::a), c(layout, type, 1, Matrix::c);
    const int n = 5;
    const auto* const numbers = reinterpret_cast<const double*>(a.data());
    foretile_pdgemm_("N", "N", &m, &n, &k, &alpha, numbers, &one, &one, descriptor.data(), numbers, &one,
                     &one, descriptor.data(), &beta, reinterpret_cast<double*>(c.data()), &one, &one,
                     descriptor.data());
    const double factor = m == 0 ? 1 : beta;
    c.for_each_number([&](std::int64_t i, std::int64_t j, Number found) {
      EXPECT_EQ(found.real(), static_cast<double>(factor * element_of(1, Matrix::c, type, i, j).real()));
    });
  }
}

}  // namespace
}  // namespace foretile::layouts_test
