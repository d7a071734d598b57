// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/cpu_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "executor/tiles/initial_tile.hpp"
#include "tests/executor/backends/run_alone.hpp"

namespace foretile::cpu_backend_test {
namespace {

/// One tile of A (2 x 3), two of B (3 x 4, 3 x 5), two of C; all in one chunk on one rank.
class CpuBackendTest : public testing::TestWithParam<Precision> {
 protected:
  Contraction problem() {
    const Shape row = Shape::dense(1, 2);
    return {"p", Tiling({0, 2}), Tiling({0, 4, 9}), Tiling({0, 3}), Shape::dense(1, 1), row, row,
            5,   true,           GetParam()};
  }
  static PlanFrame frame() {
    Plan plan;
    return plan;
  }
  static RankPlan part() {
    RankPlan part;
    part.devices.resize(1);
    part.devices[0].blocks = {{{0, 1}, {{{0}, 0}}}};
    return part;
  }

  void wait_for(std::size_t operations) {
    while (operations > 0) {
      const auto ended = backend_.ended(10);
      ASSERT_FALSE(ended.empty());
      operations -= ended.size();
    }
  }
  void copy(MemoryPlace from, MemoryPlace to, TileRef tile) {
    backend_.start_copy(next_++, {from, to, {tile}, bytes_of(problem_, tile)});
  }
  void multiply(Device device, std::int32_t j) {
    const Product product{0, j, 0, 0, j, j, j, j};
    backend_.start_kernel(next_++, device, {&product, 1});
  }
  /// C_0j + A_00 B_0j, one element after the other.
  template <class Real>
  std::vector<double> expected(std::int32_t j) const {
    const TileBuffer a = initial_tile(problem_, {Matrix::a, 0});
    const TileBuffer b = initial_tile(problem_, {Matrix::b, j});
    const TileBuffer c = initial_tile(problem_, {Matrix::c, j});
    std::vector<double> sum(c.as<Real>().begin(), c.as<Real>().end());
    for (std::size_t e = 0; e < sum.size(); ++e) {
      for (std::size_t l = 0; l < 3; ++l)
        sum[e] += double{a.as<Real>()[e % 2 + 2 * l]} * double{b.as<Real>()[l + e / 2 * 3]};
    }
    return sum;
  }
  template <class Real>
  void expect_near(std::int32_t j, double error) const {
    const auto found = host_.c.at(j).as<Real>();
    const auto wanted = expected<Real>(j);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t e = 0; e < wanted.size(); ++e) EXPECT_NEAR(found[e], wanted[e], error);
  }
  void expect_product(std::int32_t j) const {
    if (problem_.precision == Precision::f64) {
      expect_near<double>(j, 1e-15);
    } else {
      expect_near<float>(j, 1e-6);
    }
  }

  const TileRef a_{Matrix::a, 0};
  const Contraction problem_ = problem();
  HostStore host_{problem_, frame(), part(), 0};
  CpuBackend backend_{problem_, problem_.product_form(), host_, {1, 1}, 2, {}};
  OperationId next_ = 0;
};

TEST_P(CpuBackendTest, CopiesEveryTileToItsDeviceAndWritesCBack) {
  const TileRef b0{Matrix::b, 0};
  const TileRef c0{Matrix::c, 0};
  for (const TileRef tile : {a_, b0, c0}) {
    backend_.allocate(0, tile);
    copy(kHost, 0, tile);
  }
  wait_for(3);
  multiply(0, 0);
  wait_for(1);
  copy(0, kHost, c0);
  wait_for(1);
  for (const TileRef tile : {a_, b0, c0}) backend_.release(0, tile);
  expect_product(0);
}

TEST_P(CpuBackendTest, CopiesStreamedTilesFromDeviceToDevice) {
  const TileRef b1{Matrix::b, 1};
  const TileRef c1{Matrix::c, 1};
  for (const TileRef tile : {a_, b1}) {
    backend_.allocate(0, tile);
    copy(kHost, 0, tile);
  }
  wait_for(2);
  for (const TileRef tile : {a_, b1, c1}) backend_.allocate(1, tile);
  for (const TileRef tile : {a_, b1}) copy(0, 1, tile);
  copy(kHost, 1, c1);
  wait_for(3);
  for (const TileRef tile : {a_, b1}) backend_.release(0, tile);
  multiply(1, 1);
  wait_for(1);
  copy(1, kHost, c1);
  wait_for(1);
  expect_product(1);
}

TEST_P(CpuBackendTest, AdoptsTilesInPlace) {
  const TileRef b0{Matrix::b, 0};
  const std::byte* const initial_c = host_.c.at(0).data();
  for (const TileRef tile : {a_, b0, {Matrix::c, 0}}) backend_.adopt(0, tile);
  EXPECT_EQ(host_.c.count(0), 0U);  // the device has it
  backend_.adopt(1, b0);            // shared
  multiply(0, 0);
  wait_for(1);
  for (const TileRef tile : {a_, b0}) backend_.release(0, tile);
  copy(0, kHost, {Matrix::c, 0});
  wait_for(1);
  EXPECT_EQ(host_.c.at(0).data(), initial_c);
  EXPECT_NO_THROW(static_cast<void>(host_.tile(b0)));
  expect_product(0);
}

TEST_P(CpuBackendTest, StoresSeveralTilesAtOnce) {
  for (const std::int32_t j : {0, 1}) {
    for (const TileRef tile : {TileRef{Matrix::b, j}, TileRef{Matrix::c, j}}) backend_.adopt(0, tile);
  }
  backend_.adopt(0, a_);
  multiply(0, 0);
  multiply(0, 1);
  wait_for(2);
  copy(0, kHost, {Matrix::c, 0});
  copy(0, kHost, {Matrix::c, 1});
  wait_for(2);
  expect_product(0);
  expect_product(1);
}

std::string precision_of(const testing::TestParamInfo<Precision>& test) {
  return std::string(name_of(test.param));
}

/// Tiles of B whole, and in parts of 1 kB at least.
TEST(CpuBackend, TheProductDoesNotDependOnHowManyCoresMakeATile) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const Contraction problem = generated_tiles(precision);
    Machine machine = small_machine(1, 2, 1 << 20, 1 << 24);
    machine.platform.device.kind = DeviceKind::core;
    const Plan plan = make_plan(problem, machine, {});
    SchedulerOptions options = scheduler_options(plan, plan.ranks[0], problem, machine, 0, true);
    options.tiles_at_once = 1;
    const auto run = [&](int cores) {
      options.core_slots = cores;
      return run_alone(plan, problem, options, [&](HostStore& host) {
        return std::make_unique<CpuBackend>(problem, problem.product_form(), host, std::vector{1, 1}, cores,
                                            Transport{});
      });
    };
    const AloneResult whole = run(1);
    EXPECT_EQ(whole.statistics.generate_operations, 9);
    options.least_part_bytes = 1000;
    for (const int cores : {1, 2, 4}) {
      const AloneResult found = run(cores);
      EXPECT_EQ(found.c, whole.c) << cores << " cores";
      EXPECT_EQ(found.statistics.generated_tiles, 9);
      EXPECT_EQ(found.statistics.generated_bytes, whole.statistics.generated_bytes);
      EXPECT_EQ(found.statistics.generate_operations, generated_operations(precision, cores));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, CpuBackendTest, testing::Values(Precision::f64, Precision::f32),
                         precision_of);

}  // namespace
}  // namespace foretile::cpu_backend_test
