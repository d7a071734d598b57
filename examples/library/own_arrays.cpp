// SPDX-License-Identifier: BSD-3-Clause
// C = 2 A^T B + C on the caller's own column-major arrays, planned, simulated and run: mpiexec -n 2
// own_arrays
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "executor/multiplication.hpp"
#include "executor/tile_storage.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "simulator/simulation.hpp"

constexpr std::int64_t m = 1000, n = 800, k = 600;

/// Every rank has all of A (k x m), B (k x n) and C (m x n) here; foretile reads and writes the tiles that
/// the rank owns where they are.
struct Arrays final : foretile::TileStorage {
  explicit Arrays(const foretile::Contraction& contraction) : p(contraction) {}

  std::optional<foretile::TileView> in_place(foretile::TileRef tile) const override {
    const auto view = [](std::vector<double>& x, std::int64_t rows, std::int64_t i, std::int64_t j) {
      return foretile::TileView{reinterpret_cast<std::byte*>(x.data() + i + j * rows), rows};
    };
    const foretile::Shape& shape = shape_of(p, tile.matrix);  // of op(A), op(B) and C
    const auto row = shape.row_of(tile.id), column = shape.column_of(tile.id);
    if (tile.matrix == foretile::Matrix::a) return view(a, k, p.k.begin(column), p.m.begin(row));
    if (tile.matrix == foretile::Matrix::b) return view(b, k, p.k.begin(row), p.n.begin(column));
    return view(c, m, p.m.begin(row), p.n.begin(column));
  }
  void fill(foretile::TileRef, std::byte*) const override {}  // never asked: all is in place

  const foretile::Contraction& p;
  mutable std::vector<double> a = std::vector<double>(k * m, 0.5), b = std::vector<double>(k * n, 3.0),
                              c = std::vector<double>(m * n, 1.0);
};

int main(int argc, char** argv) {
  int level = 0, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  {
    foretile::Contraction contraction = foretile::dense_contraction({.m = m, .n = n, .k = k, .tile = 250});
    contraction.a_op = foretile::Op::transpose;
    contraction.alpha = 2;
    contraction.beta = 1;
    foretile::Multiplication product(MPI_COMM_WORLD, contraction);
    const foretile::PlannedWork& work = product.work();
    const double predicted_s = simulate(work.plan, work.contraction, work.machine).makespan_s;
    const Arrays arrays(product.contraction());
    const foretile::MultiplicationReport report = product.run(arrays);
    for (const foretile::TileId tile : product.own_tiles(foretile::Matrix::c)) {
      const foretile::TileView view = *arrays.in_place({foretile::Matrix::c, tile});
      if (*reinterpret_cast<double*>(view.data) != 2 * k * 0.5 * 3.0 + 1.0)
        ++wrong;  // 2 sum of 600 * 1.5, + 1
    }
    std::printf("%.1f Gflop predicted in %.3f s, run in %.3f s, %d tiles wrong\n", report.flops / 1e9,
                predicted_s, report.wall_s, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
