// SPDX-License-Identifier: BSD-3-Clause
// A loop over block-sparse products with irregular tiles: one plan, other numbers in each turn. As in a
// program of TiledArray's, tiles are made where they are needed, and finished ones are handed over: mpiexec
// -n 2 block_sparse
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "executor/multiplication.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/problem/kinds/tiles.hpp"

/// All elements of A are `a` in this turn, those of B are 2.
struct Blocks final : foretile::TileStorage {
  explicit Blocks(const foretile::Contraction& contraction) : p(contraction) {}

  void fill(foretile::TileRef tile, std::byte* to) const override {
    const foretile::TileExtents extents = extents_of(p, tile);
    std::fill_n(reinterpret_cast<double*>(to), extents.rows * extents.columns,
                tile.matrix == foretile::Matrix::a ? a : 2);
  }
  void take(foretile::TileId tile, foretile::TileView c) const override {
    const foretile::TileExtents extents = extents_of(p, {foretile::Matrix::c, tile});
    for (std::int64_t j = 0; j < extents.columns; ++j) {
      for (std::int64_t i = 0; i < extents.rows; ++i)
        sum += reinterpret_cast<const double*>(c.data)[i + j * c.ld];
    }
  }

  const foretile::Contraction& p;
  double a = 0;
  mutable double sum = 0;  // of the own elements of C; take() comes from one thread at a time
};

int main(int argc, char** argv) {
  int level = 0, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  {
    foretile::TilesParameters parameters;  // a band: tile (i, k) is nonzero where i and k differ by at most 1
    parameters.m_tiles = parameters.k_tiles = parameters.n_tiles = {60, 95, 70, 120, 80, 65};
    for (std::int32_t i = 0; i < 6; ++i) {
      for (std::int32_t k = std::max(0, i - 1); k <= std::min(5, i + 1); ++k)
        parameters.a.push_back({i, k, 1});
    }
    parameters.b = parameters.a;
    foretile::Multiplication product(MPI_COMM_WORLD, tiles_contraction(parameters));
    Blocks blocks(product.contraction());
    const double flops = traits(product.contraction()).flops;
    for (int turn = 1; turn <= 10; ++turn) {
      blocks.a = turn;
      blocks.sum = 0;
      product.run(blocks);
      MPI_Allreduce(MPI_IN_PLACE, &blocks.sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (blocks.sum != turn * flops) ++wrong;  // each term of two flops is turn * 2
    }
    std::printf("%.1f Mflop ten times, %d tiles wrong\n", flops / 1e6, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
