// SPDX-License-Identifier: BSD-3-Clause
// foretile_pdgemm beside ScaLAPACK's pdgemm, on the same block-cyclic matrices, in turn.
//   mpiexec -n RANKS pdgemm_bench --m M --n N --k K [--rows P] [--block NB] [--runs R]
// As JSON: seconds of each call of both, of which the first takes memory; foretile's time for redistribution;
// and the largest difference between both results beside the largest number.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/pdgemm.h"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
int numroc_(const int* extent, const int* block, const int* process, const int* source, const int* processes);
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
             const double* b, const int* ib, const int* jb, const int* descb, const double* beta, double* c,
             const int* ic, const int* jc, const int* descc);
}

namespace foretile {
namespace {

struct Grid {
  int context = 0, rows = 1, columns = 1, row = 0, column = 0;
};

struct LocalMatrix {
  std::array<int, 9> descriptor{};
  std::vector<double> numbers;
};

LocalMatrix local_matrix(const Grid& grid, int rows, int columns, int block, std::uint64_t seed) {
  const int zero = 0;
  const int local_rows = numroc_(&rows, &block, &grid.row, &zero, &grid.rows);
  const int local_columns = numroc_(&columns, &block, &grid.column, &zero, &grid.columns);
  LocalMatrix matrix;
  matrix.descriptor = {1, grid.context, rows, columns, block, block, 0, 0, std::max(1, local_rows)};
  matrix.numbers.resize(static_cast<std::size_t>(local_rows) * static_cast<std::size_t>(local_columns));
  Random random(seed + static_cast<std::uint64_t>(grid.row * grid.columns + grid.column));
  for (double& number : matrix.numbers) number = random.real() - 0.5;
  return matrix;
}

struct Task {
  int m = 4096, n = 4096, k = 4096, rows = 0, block = 64, runs = 5;
};

template <class Multiply>
double seconds(const Multiply& multiply) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  multiply();
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - begun_s;
}

double largest_of_ranks(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

Grid make_grid(int rows) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Grid grid;
  grid.rows = rows > 0 ? rows : static_cast<int>(std::sqrt(ranks));
  grid.columns = ranks / grid.rows;
  Cblacs_get(0, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", grid.rows, grid.columns);
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  return grid;
}

void measure(const Task& t) {
  const Grid grid = make_grid(t.rows);
  const LocalMatrix a = local_matrix(grid, t.m, t.k, t.block, 1),
                    b = local_matrix(grid, t.k, t.n, t.block, 1000);
  LocalMatrix c = local_matrix(grid, t.m, t.n, t.block, 0), reference = c;
  const int one = 1;
  const double alpha = 1, beta = 0;
  const auto call = [&](auto* gemm, LocalMatrix& to) {
    gemm("N", "N", &t.m, &t.n, &t.k, &alpha, a.numbers.data(), &one, &one, a.descriptor.data(),
         b.numbers.data(), &one, &one, b.descriptor.data(), &beta, to.numbers.data(), &one, &one,
         to.descriptor.data());
  };
  std::vector<double> foretile_s, scalapack_s, moved_s;
  for (int run = 0; run < t.runs; ++run) {
    foretile_s.push_back(seconds([&] { call(foretile_pdgemm_, c); }));
    double products = 0, moved = 0;
    foretile_pgemm_seconds(&products, &moved);
    moved_s.push_back(moved);
    const OneBlasThread one_thread;
    scalapack_s.push_back(seconds([&] { call(pdgemm_, reference); }));
  }
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < c.numbers.size(); ++i) {
    largest = std::max(largest, std::abs(reference.numbers[i]));
    difference = std::max(difference, std::abs(reference.numbers[i] - c.numbers[i]));
  }
  const nlohmann::ordered_json json{
      {"grid", {grid.rows, grid.columns}},    {"foretile_s", foretile_s},
      {"redistribution_s", moved_s},          {"scalapack_s", scalapack_s},
      {"largest", largest_of_ranks(largest)}, {"largest_difference", largest_of_ranks(difference)}};
  if (grid.row == 0 && grid.column == 0) fmt::print("{}\n", json.dump());
}

int run(int argc, char** argv) {
  Task task;
  CLI::App app("foretile_pdgemm beside ScaLAPACK's pdgemm", "pdgemm_bench");
  app.add_option("--m", task.m, "Rows of A and C");
  app.add_option("--n", task.n, "Columns of B and C");
  app.add_option("--k", task.k, "Columns of A, rows of B");
  app.add_option("--rows", task.rows, "Rows of the grid of processes; 0: the root of their number");
  app.add_option("--block", task.block, "Rows and columns of a block");
  app.add_option("--runs", task.runs, "Of both, in turn");
  CLI11_PARSE(app, argc, argv);
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  measure(task);
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace foretile

int main(int argc, char** argv) {
  try {
    foretile::choose_blas_kernels();
    return foretile::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pdgemm_bench: %s\n", error.what());
    return 1;
  }
}
