// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a caller keeps, in place or by callback, give the same bits as the same numbers made by a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/plan/owners.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_grids.hpp"

namespace foretile::storage_test {
namespace {

constexpr std::byte kGap{0x5a};

/// A matrix as it is in memory, column-major with gaps, on every rank.
class CallerMatrix {
 public:
  CallerMatrix(const Contraction& p, Matrix matrix, std::int64_t gap) : p_(p), matrix_(matrix) {
    const Tiling& rows = matrix == Matrix::b ? p.k : p.m;
    const Tiling& columns = matrix == Matrix::a ? p.k : p.n;
    transposed_ = matrix != Matrix::c && (matrix == Matrix::a ? p.a_op : p.b_op) != Op::none;
    rows_ = (transposed_ ? columns : rows).extent();
    ld_ = rows_ + gap;
    const std::int64_t all = (transposed_ ? rows : columns).extent();
    memory_.assign(static_cast<std::size_t>(ld_ * all * p.element_bytes()), kGap);
  }

  TileView view(TileId tile) {
    const Shape& shape = shape_of(p_, matrix_);
    const std::int64_t row = (matrix_ == Matrix::b ? p_.k : p_.m).begin(shape.row_of(tile));
    const std::int64_t column = (matrix_ == Matrix::a ? p_.k : p_.n).begin(shape.column_of(tile));
    const std::int64_t at = transposed_ ? column + row * ld_ : row + column * ld_;
    return {memory_.data() + at * p_.element_bytes(), ld_};
  }

  void put(TileId tile) {
    const TileExtents extents = extents_of(p_, {matrix_, tile});
    const TileBuffer numbers = initial_tile(p_, {matrix_, tile});
    copy_tile(extents, numbers.view(extents.rows), view(tile));
  }

  bool gaps_are_untouched() const {
    const std::int64_t column = ld_ * p_.element_bytes(), used = rows_ * p_.element_bytes();
    for (std::int64_t at = 0; at < std::ssize(memory_); ++at) {
      if (at % column >= used && memory_[static_cast<std::size_t>(at)] != kGap) return false;
    }
    return true;
  }

 private:
  const Contraction& p_;
  Matrix matrix_;
  bool transposed_ = false;
  std::int64_t rows_ = 0, ld_ = 0;
  std::vector<std::byte> memory_;
};

/// Some matrices in place, the tiles of others by callback.
class CallerStorage final : public TileStorage {
 public:
  CallerStorage(const Contraction& p, Random& random) : p_(p) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      matrices_.emplace_back(p, matrix, random.integer(0, 3));
      in_place_.push_back(random.integer(0, 3) > 0);
      for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile) {
        if (matrix != Matrix::c || p.reads_c()) matrices_.back().put(tile);
      }
    }
  }

  std::optional<TileView> in_place(TileRef tile) const override {
    if (!kept(tile.matrix)) return std::nullopt;
    return matrices_[static_cast<std::size_t>(tile.matrix)].view(tile.id);
  }
  void fill(TileRef tile, std::byte* to) const override {
    EXPECT_FALSE(kept(tile.matrix));
    make_tile(p_, tile, to);
    const std::scoped_lock lock(mutex_);
    EXPECT_TRUE(filled_.insert({static_cast<int>(tile.matrix), tile.id}).second) << "asked twice";
  }

  bool kept(Matrix matrix) const { return in_place_[static_cast<std::size_t>(matrix)]; }
  CallerMatrix& matrix(Matrix of) const { return matrices_[static_cast<std::size_t>(of)]; }

 private:
  const Contraction& p_;
  mutable std::vector<CallerMatrix> matrices_;
  std::vector<bool> in_place_;
  mutable std::mutex mutex_;
  mutable std::set<std::pair<int, TileId>> filled_;
};

void expect_c_in_place(const Contraction& p, const CallerStorage& storage, const HostStore& host) {
  for (const auto& [tile, numbers] : host.c) {
    const TileView wanted = storage.matrix(Matrix::c).view(tile);
    EXPECT_EQ(numbers.data() == wanted.data, storage.kept(Matrix::c));
  }
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
    EXPECT_TRUE(storage.matrix(matrix).gaps_are_untouched()) << p.name;
}

struct Case {
  Contraction p;
  Machine machine;
  Plan plan;
};

std::optional<Case> random_case(std::uint64_t seed, Random& random) {
  GridProblem problem = grid_problem(seed);
  Contraction& p = problem.contraction;
  p.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
  p.complex_elements = random.integer(0, 2) == 0;
  p.a_op = static_cast<Op>(random.integer(0, 2));
  p.b_op = static_cast<Op>(random.integer(0, 2));
  p.alpha = random.integer(0, 1) == 0 ? 1 : 0.5;
  p.beta = random.integer(0, 1) == 0 ? p.beta : -0.25;
  const Machine machine = machine_here(3 * problem.device_bytes, problem.devices * world_size());
  try {
    Plan plan = make_plan(p, machine, problem.settings);
    verify(plan, p);
    return Case{p, machine, std::move(plan)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST(Storage, TheCallersNumbersGiveTheSameBits) {
  int ran = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases(20)); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed + 7000);
    const std::optional<Case> one = random_case(seed, random);
    if (!one) continue;
    const auto& [p, machine, plan] = *one;
    const std::string wanted = execute(plan, p, machine, false).check.c_digest;
    for (const bool copies : {false, true}) {
      const CallerStorage storage(p, random);
      const RunOutcome outcome = execute(plan, p, machine, copies, &storage);
      EXPECT_EQ(outcome.check.c_digest, wanted) << "copies " << copies;
      EXPECT_TRUE(outcome.check.passed()) << outcome.check.relative_error;
      expect_c_in_place(p, storage, *outcome.run.host);
    }
    const std::unique_ptr<Gpus> gpus = test_gpus(p);
    const CallerStorage storage(p, random);
    const RunOutcome on_gpus = execute_on(*gpus, plan, p, with_gpus(machine, random), 100'000, &storage);
    EXPECT_TRUE(on_gpus.check.passed()) << on_gpus.check.relative_error;
    if (!on_cuda()) {
      EXPECT_EQ(on_gpus.check.c_digest, wanted);
    }
    expect_c_in_place(p, storage, *on_gpus.run.host);
    ++ran;
  }
  EXPECT_GE(ran, cases(10));
}

/// Stand-ins that note which memory of the caller's is page-locked.
class LockingGpus final : public Gpus {
 public:
  int count() const override { return gpus_.count(); }
  GpuFacts facts(int physical) override { return gpus_.facts(physical); }
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override {
    is_open_ = true;
    return gpus_.open(physical, kernel_lanes);
  }
  bool direct(int from, int to) override { return gpus_.direct(from, to); }
  std::byte* allocate_host(std::int64_t bytes) override { return gpus_.allocate_host(bytes); }
  void free_host(std::byte* memory) override { gpus_.free_host(memory); }
  void pause(double seconds) override { gpus_.pause(seconds); }
  bool register_host(std::byte* begin, std::int64_t bytes, bool) override {
    EXPECT_FALSE(is_open_) << "not before the first copy";
    locked.emplace(begin, bytes);
    all.emplace(begin, bytes);
    return true;
  }
  void unregister_host(std::byte* begin) override { EXPECT_EQ(locked.erase(begin), 1U); }

  bool had(const std::byte* begin, std::int64_t bytes) const {
    return std::ranges::any_of(all, [&](const auto& range) {
      return range.first <= begin && begin + bytes <= range.first + range.second;
    });
  }

  std::map<std::byte*, std::int64_t> locked, all;  ///< now; at any time

 private:
  StandInGpus gpus_;
  bool is_open_ = false;
};

/// All tiles in place, each in memory of its own.
class TilesInPlace final : public TileStorage {
 public:
  explicit TilesInPlace(const Contraction& p) : p_(p) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile)
        tiles_.emplace(TileRef{matrix, tile}, initial_tile(p, {matrix, tile}));
    }
  }
  std::optional<TileView> in_place(TileRef tile) const override {
    return tiles_.at(tile).view(extents_of(p_, tile).rows);
  }
  void fill(TileRef, std::byte*) const override { ADD_FAILURE() << "all are in place"; }

 private:
  const Contraction& p_;
  std::unordered_map<TileRef, TileBuffer, TileRefHash> tiles_;
};

/// Copies from other memory are slow and hold up the progress loop.
TEST(Storage, TilesOfTheCallerArePageLockedWhileDevicesCopyThem) {
  if (on_cuda()) GTEST_SKIP() << "stand-ins note what is locked";
  DenseParameters shape;
  shape.m = shape.n = shape.k = 64;
  shape.tile = 16;
  const Contraction p = dense_contraction(shape);
  Random random(1);
  const Machine machine = with_gpus(machine_here(100'000), random);
  const Plan plan = make_plan(p, machine, {{"strategy", "stationary-c"}});
  const TilesInPlace storage(p);
  LockingGpus gpus;
  const RunOutcome outcome = execute_on(gpus, plan, p, machine, 100'000, &storage);
  EXPECT_TRUE(outcome.check.passed()) << outcome.check.relative_error;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile) {
      if (owner_of(p, plan, {matrix, tile}) != world_rank()) continue;
      EXPECT_TRUE(gpus.had(storage.in_place({matrix, tile})->data, bytes_of(p, {matrix, tile})));
    }
  }
  EXPECT_TRUE(gpus.locked.empty()) << "given back";
  EXPECT_EQ(gpus.all.empty(), world_rank() >= plan.grid.size());
}

}  // namespace
}  // namespace foretile::storage_test
