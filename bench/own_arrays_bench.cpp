// SPDX-License-Identifier: BSD-3-Clause
// Runs of one plan on a program's own arrays beside runs on numbers that foretile makes.
//   mpiexec -n RANKS own_arrays_bench --m M --n N --k K [--tile T] [--runs R] [--set KEY VALUE]...
// Each rank keeps its tiles of A, B and C in one column-major array per matrix, as ScaLAPACK would, and
// foretile uses them in place. As JSON: seconds of each run by the clock of the run, and as the caller sees
// them, of both kinds in turn; and the ranks' peak memory after the runs in place, beside their share of the
// matrices.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/resources.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/multiplication.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/large_pages.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/problem/kinds/dense.hpp"

namespace foretile {
namespace {

/// A rank's tiles of one matrix, side by side in the order of their rows and columns.
class LocalMatrix {
 public:
  LocalMatrix(const Multiplication& product, Matrix matrix) : p_(product.contraction()), matrix_(matrix) {
    const std::vector<TileId> own = product.own_tiles(matrix);
    for (const TileId tile : own) {
      const TileExtents extents = extents_of(p_, {matrix, tile});
      row_at_[shape().row_of(tile)] = extents.rows;
      column_at_[shape().column_of(tile)] = extents.columns;
    }
    ld_ = std::max<std::int64_t>(1, offsets(row_at_));
    memory_ = TileBuffer(ld_ * offsets(column_at_) * p_.element_bytes());
    prefer_large_pages(memory_.bytes());
    for (const TileId tile : own) {
      const TileExtents extents = extents_of(p_, {matrix, tile});
      const TileBuffer numbers = initial_tile(p_, {matrix, tile});
      copy_tile(extents, numbers.view(extents.rows), view(tile));
    }
  }

  TileView view(TileId tile) const {
    const std::int64_t at = row_at_.at(shape().row_of(tile)) + column_at_.at(shape().column_of(tile)) * ld_;
    return {memory_.data() + at * p_.element_bytes(), ld_};
  }
  std::int64_t bytes() const { return memory_.size(); }

 private:
  const Shape& shape() const { return shape_of(p_, matrix_); }
  /// Extents become offsets; returns their sum.
  static std::int64_t offsets(std::map<std::int32_t, std::int64_t>& extents) {
    std::int64_t at = 0;
    for (auto& [tile, extent] : extents) at += std::exchange(extent, at);
    return at;
  }

  const Contraction& p_;
  Matrix matrix_;
  std::map<std::int32_t, std::int64_t> row_at_, column_at_;
  std::int64_t ld_ = 1;
  TileBuffer memory_;
};

class LocalArrays final : public TileStorage {
 public:
  explicit LocalArrays(const Multiplication& product)
      : a_(product, Matrix::a), b_(product, Matrix::b), c_(product, Matrix::c) {}
  std::optional<TileView> in_place(TileRef tile) const override {
    return (tile.matrix == Matrix::a ? a_ : tile.matrix == Matrix::b ? b_ : c_).view(tile.id);
  }
  void fill(TileRef, std::byte*) const override {}
  std::int64_t bytes() const { return a_.bytes() + b_.bytes() + c_.bytes(); }

 private:
  LocalMatrix a_, b_, c_;
};

std::int64_t most_of_ranks(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

struct Times {
  std::vector<double> wall_s, call_s;
};

void time_run(Multiplication& product, const TileStorage& tiles, Times& times) {
  using Clock = std::chrono::steady_clock;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begun = Clock::now();
  times.wall_s.push_back(product.run(tiles).wall_s);
  times.call_s.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
}

nlohmann::ordered_json json_of(const Times& times) {
  return {{"wall_s", times.wall_s}, {"call_s", times.call_s}};
}

void measure(const DenseParameters& parameters, const Settings& settings, int runs) {
  MultiplicationOptions options;
  options.parameters = settings;
  Multiplication product(MPI_COMM_WORLD, dense_contraction(parameters), options);
  const LocalArrays arrays(product);
  const SeededTiles made(product.contraction());
  Times in_place, of_made;
  time_run(product, arrays, in_place);  // takes the memory that later ones use
  const std::int64_t peak = most_of_ranks(peak_rss_bytes()), share = most_of_ranks(arrays.bytes());
  for (int run = 1; run < runs; ++run) time_run(product, arrays, in_place);
  for (int run = 0; run < std::min(runs, 7); ++run) time_run(product, made, of_made);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const nlohmann::ordered_json json{{"in_place", json_of(in_place)},
                                    {"made", json_of(of_made)},
                                    {"peak_rss_bytes", peak},
                                    {"matrix_bytes_per_rank", share}};
  fmt::print("{}\n", json.dump());
}

int run(int argc, char** argv) {
  DenseParameters parameters;
  std::vector<std::pair<std::string, std::string>> settings;
  int runs = 7;
  CLI::App app("Runs of one plan on a program's own arrays beside runs on made numbers", "own_arrays_bench");
  app.add_option("--m", parameters.m, "Rows of A and C")->required();
  app.add_option("--n", parameters.n, "Columns of B and C")->required();
  app.add_option("--k", parameters.k, "Columns of A, rows of B")->required();
  app.add_option("--tile", parameters.tile, "Extent of tiles; 0: foretile's own");
  app.add_option("--runs", runs, "Of the arrays in place; up to 7 of made numbers");
  app.add_option("--set", settings, "Key and value of a parameter of the plan, repeatable");
  CLI11_PARSE(app, argc, argv);
  if (parameters.tile == 0) {
    const TileSize tiles = usual_tiles(parameters.m, parameters.n, parameters.k);
    parameters.m_tile = tiles.m;
    parameters.n_tile = tiles.n;
    parameters.k_tile = tiles.k;
  }
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  measure(parameters, {settings.begin(), settings.end()}, runs);
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
    std::fprintf(stderr, "own_arrays_bench: %s\n", error.what());
    return 1;
  }
}
