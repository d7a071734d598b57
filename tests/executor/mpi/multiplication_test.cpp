// SPDX-License-Identifier: BSD-3-Clause
#include "executor/multiplication.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "base/missing_memory.hpp"
#include "executor/check/reference.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/tiles.hpp"
#include "tests/executor/mpi/environment.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::multiplication_test {
namespace {

/// The seed's numbers, kept tile by tile; C in place or taken.
class KeptTiles final : public TileStorage {
 public:
  KeptTiles(const Multiplication& product, bool c_in_place)
      : p_(product.contraction()), c_in_place_(c_in_place) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      for (const TileId tile : product.own_tiles(matrix)) {
        if (matrix == Matrix::c) own_c_.push_back(tile);
        if (matrix != Matrix::c || c_in_place)
          tiles_.emplace(TileRef{matrix, tile}, initial_tile(p_, {matrix, tile}));
      }
    }
  }
  std::optional<TileView> in_place(TileRef tile) const override {
    const auto found = tiles_.find(tile);
    if (found == tiles_.end()) return std::nullopt;
    return found->second.view(extents_of(p_, tile).rows);
  }
  void fill(TileRef tile, std::byte* to) const override { make_tile(p_, tile, to); }
  void take(TileId tile, TileView numbers) const override {
    const TileExtents extents = extents_of(p_, {Matrix::c, tile});
    TileBuffer copy(extents.bytes());
    copy_tile(extents, numbers, copy.view(extents.rows));
    EXPECT_TRUE(taken_.emplace(tile, std::move(copy)).second) << "taken twice";
  }

  /// Each own tile of C, once.
  void expect_right() const {
    TilesOfC c;
    for (const TileId tile : own_c_) {
      if (c_in_place_) {
        const TileBuffer& numbers = tiles_.at({Matrix::c, tile});
        c.emplace(tile, TileBuffer::borrowed({numbers.data(), 0}, numbers.size()));
      } else {
        ASSERT_TRUE(taken_.contains(tile)) << tile;
        const TileBuffer& numbers = taken_.at(tile);
        c.emplace(tile, TileBuffer::borrowed({numbers.data(), 0}, numbers.size()));
      }
    }
    EXPECT_EQ(taken_.size(), c_in_place_ ? 0 : own_c_.size());
    EXPECT_LE(compare_with_reference(p_, c).largest, 1e-12);
  }

 private:
  const Contraction& p_;
  bool c_in_place_;
  std::vector<TileId> own_c_;
  std::unordered_map<TileRef, TileBuffer, TileRefHash> tiles_;
  mutable TilesOfC taken_;
};

/// Block-sparse; C has tiles without a product.
Contraction sparse_problem(std::complex<double> beta) {
  TilesParameters parameters;
  parameters.m_tiles = {3, 5, 2};
  parameters.n_tiles = {4, 6};
  parameters.k_tiles = {7, 2};
  parameters.a = {{0, 0, 1}, {2, 1, 1}};
  parameters.b = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}};
  parameters.c = std::vector<Shape::Entry>{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {2, 0, 1}, {2, 1, 1}};
  parameters.seed = 5;
  Contraction p = tiles_contraction(parameters);
  p.beta = beta;
  p.alpha = 2;
  return p;
}

Contraction dense_problem(std::int64_t extent, std::int64_t tile) {
  DenseParameters parameters;
  parameters.m = parameters.n = parameters.k = extent;
  parameters.tile = tile;
  return dense_contraction(parameters);
}

void run_both_ways(const Contraction& p, const MultiplicationOptions& options) {
  Multiplication product(MPI_COMM_WORLD, p, options);
  for (const bool in_place : {true, false, true}) {
    const KeptTiles tiles(product, in_place);
    const MultiplicationReport report = product.run(tiles);
    EXPECT_GT(report.flops, 0);
    tiles.expect_right();
  }
}

TEST(Multiplication, RunsAPlanAgainAndAgain) {
  run_both_ways(dense_problem(60, 16), {});
  run_both_ways(dense_problem(60, 16), {.platform = "here", .parameters = {{"strategy", "stationary-c"}}});
}

/// The node cannot give the ranks the 2.9 MB of C, which the caller does not have.
TEST(Multiplication, RefusesWhatTheNodeHasNoMemoryFor) {
  Multiplication product(MPI_COMM_WORLD, dense_problem(600, 100));
  const KeptTiles tiles(product, false);
  {
    const Environment memory("FORETILE_MEMORY", "1 MB");
    std::string said;
    try {
      product.run(tiles);
    } catch (const OtherRankFailed& other) {
      said = other.text;
      EXPECT_TRUE(other.lacks_memory);
      EXPECT_THROW(throw_as_own(other), MissingMemory);
    } catch (const MissingMemory& own) {
      said = own.what();
    }
    EXPECT_NE(said.find("this node: found 1000000 bytes (1.00 MB) of free memory, expected"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find(" are missing: end other programs"), std::string::npos) << said;
  }
  product.run(tiles);
  tiles.expect_right();
}

/// Where all tiles are used in place, a node needs memory for what arrives only.
TEST(Multiplication, DoesNotCountTheCallersMemory) {
  if (world_size() > 1) GTEST_SKIP() << "tiles arrive";
  Multiplication product(MPI_COMM_WORLD, dense_problem(600, 100));
  const KeptTiles tiles(product, true);
  const Environment memory("FORETILE_MEMORY", "1 MB");
  product.run(tiles);
  tiles.expect_right();
}

TEST(Multiplication, FinishesTilesWithoutAProduct) {
  for (const double beta : {0.0, 1.0, -0.5}) run_both_ways(sparse_problem(beta), {});
}

/// Numbers in place, filled, taken; devices and pinned memory are kept from run to run.
TEST(Multiplication, RunsOnGpus) {
  MultiplicationOptions options;
  options.platform = "summit";
  options.gpus = on_cuda() ? GpuChoice::cuda : GpuChoice::stand_in;
  options.verify = true;
  run_both_ways(dense_problem(60, 16), options);
  for (const double beta : {0.0, -0.5}) run_both_ways(sparse_problem(beta), options);
  options.gpus = GpuChoice::none;  // cores stand for them
  run_both_ways(dense_problem(60, 16), options);
}

TEST(Multiplication, EachTileHasOneOwner) {
  const Multiplication product(MPI_COMM_WORLD, sparse_problem(0), {});
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    std::int64_t mine = std::ssize(product.own_tiles(matrix)), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, shape_of(product.contraction(), matrix).nonzeros());
  }
}

TEST(Multiplication, TwoPlansInOneProcess) {
  Multiplication first(MPI_COMM_WORLD, dense_problem(40, 10)), second(MPI_COMM_WORLD, sparse_problem(1));
  for (int round = 0; round < 2; ++round) {
    const KeptTiles of_first(first, true), of_second(second, true);
    first.run(of_first);
    second.run(of_second);
    of_first.expect_right();
    of_second.expect_right();
  }
}

template <class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Multiplication, RanksMustAgree) {
  if (world_size() == 1) return;
  const std::string message =
      message_of([] { Multiplication(MPI_COMM_WORLD, dense_problem(40, world_rank() == 1 ? 20 : 10)); });
  EXPECT_NE(message.find("ranks with different contractions"), std::string::npos) << message;
}

/// One rank's error reaches all others.
TEST(Multiplication, WhatIsWrongOnOneRankEndsAll) {
  const std::string message = message_of([] {
    Multiplication(MPI_COMM_WORLD, dense_problem(40, 10),
                   {.platform = world_rank() == 0 ? "nowhere" : "here", .parameters = {}});
  });
  EXPECT_NE(message.find(world_rank() == 0 ? "nowhere" : "another rank failed"), std::string::npos)
      << message;
  if (on_cuda()) return;
  const std::string gpus = message_of([] {
    Multiplication(MPI_COMM_WORLD, dense_problem(40, 10), {.platform = "summit", .parameters = {}});
  });
  EXPECT_NE(gpus.find(world_rank() == 0 ? "CUDA's GPUs: found none" : "another rank failed"),
            std::string::npos)
      << gpus;
}

class NoNumbers final : public TileStorage {
 public:
  void fill(TileRef, std::byte*) const override {
    if (world_rank() == 0) throw WorkError("no numbers on rank 0");
  }
};

TEST(Multiplication, NumbersThatFailOnOneRankEndAll) {
  Multiplication product(MPI_COMM_WORLD, dense_problem(60, 16));
  const std::string message = message_of([&] { product.run(NoNumbers()); });
  EXPECT_EQ(message, world_rank() == 0 ? "no numbers on rank 0" : "another rank failed; its error says why");
  const KeptTiles tiles(product, true);  // and the next run is sound
  product.run(tiles);
  tiles.expect_right();
}

}  // namespace
}  // namespace foretile::multiplication_test
