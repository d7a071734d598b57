// SPDX-License-Identifier: BSD-3-Clause
#include "planner/remaining.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "planner/plan/products.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::remaining_test {
namespace {

using Products = std::vector<std::tuple<int, int, int>>;

/// Of each tile (i, j) of C, in the order in which a device computes them.
using ByTile = std::map<std::pair<int, int>, Products>;

ByTile products_of(const PlannedWork& work) {
  ByTile products;
  for (std::size_t rank = 0; rank < work.plan.ranks.size(); ++rank) {
    const RankPlan& part = work.plan.ranks[rank];
    for (std::size_t device = 0; device < part.devices.size(); ++device) {
      for_each_product(work.contraction, part.devices[device], [&](const Product& x) {
        products[{x.i, x.j}].emplace_back(static_cast<int>(rank), static_cast<int>(device), x.k);
      });
    }
  }
  return products;
}

std::optional<PlannedWork> planned(const RandomCase& c) {
  try {
    return plan_work(c.problem, c.machine, c.settings);
  } catch (const InputError&) {
    return std::nullopt;  // too little memory
  }
}

/// remaining_work() verifies what it returns; here: the right products on the right devices in their order.
void expect_rest(const PlannedWork& whole, double share, Random& random) {
  const Shape& c = whole.contraction.c;
  std::vector<bool> finished;
  for (TileId tile = 0; tile < c.nonzeros(); ++tile) finished.push_back(random.real() < share);
  const RemainingWork rest = remaining_work(whole, finished);
  ByTile expected;
  for (const auto& [place, products] : products_of(whole)) {
    if (!finished[static_cast<std::size_t>(*c.find(place.first, place.second))])
      expected.emplace(place, products);
  }
  EXPECT_EQ(products_of(rest.work), expected);
  ASSERT_EQ(std::ssize(rest.tiles), rest.work.contraction.c.nonzeros());
  for (TileId tile = 0; tile < std::ssize(rest.tiles); ++tile) {
    const TileId number = rest.tiles[static_cast<std::size_t>(tile)];
    EXPECT_EQ(c.row_of(number), rest.work.contraction.c.row_of(tile));
    EXPECT_EQ(c.column_of(number), rest.work.contraction.c.column_of(tile));
    EXPECT_EQ(c.norm(number), rest.work.contraction.c.norm(tile));
  }
  EXPECT_LE(rest.work.summary.network_bytes, whole.summary.network_bytes);
  EXPECT_LE(rest.work.summary.h2d_bytes, whole.summary.h2d_bytes);
}

/// Returns how many cases could be planned.
int expect_rests(RandomCase (*make)(std::uint64_t), std::uint64_t cases) {
  int planned_cases = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    const auto whole = planned(make(seed));
    if (!whole) continue;
    ++planned_cases;
    Random random(seed);
    for (const double share : {0.0, 0.3, 0.9, 1.0}) expect_rest(*whole, share, random);
  }
  return planned_cases;
}

TEST(RemainingWork, KeepsTheOrderWhereBIsGenerated) {
  EXPECT_GT(expect_rests(random_case, 60), 20);
  EXPECT_GT(expect_rests(random_local_case, 60), 20);
}

TEST(RemainingWork, KeepsTheOrderWhereBIsSentForEachStep) {
  EXPECT_GT(expect_rests(random_streamed_case, 120), 40);
}

TEST(RemainingWork, KeepsTheOrderWhereCIsSummed) {
  EXPECT_GT(expect_rests(random_grid_case, 120), 40);
  EXPECT_GT(expect_rests(random_generated_grid_case, 60), 20);
  EXPECT_GT(expect_rests(random_distributed_case, 120), 40);
}

/// Six columns and two devices that take each other's blocks: when those of the second are done, it gets a
/// part of what is left, and not nothing, with which it would not know how fast it is.
TEST(RemainingWork, DistributesBlocksThatAreTakenAnew) {
  const PlannedWork whole = plan_work(dense_product(2, 12, 2, 2), small_machine(1, 2, 100'000, 1 << 24),
                                      {{"strategy", "owner-b"}, {"sharing", "dynamic"}});
  std::vector<bool> finished(6, false);
  for (const Block& block : whole.plan.ranks[0].devices[1].blocks) {
    for (const std::int32_t column : block.columns) finished[static_cast<std::size_t>(column)] = true;
  }
  const RemainingWork rest = remaining_work(whole, finished);
  ASSERT_EQ(rest.work.plan.pool, Pool::open);
  for (const DevicePlan& device : rest.work.plan.ranks[0].devices) EXPECT_FALSE(device.blocks.empty());
}

/// A of 2 x 1 tiles, B of 1 x 2, one rank: with C(0,0) and C(0,1) finished, A(0,0) is not loaded, and two of
/// four products are left.
TEST(RemainingWork, LoadsNothingForFinishedTiles) {
  const Contraction p{
      "two by two",       Tiling::uniform(20, 10), Tiling::uniform(20, 10), Tiling::uniform(10, 10),
      Shape::dense(2, 1), Shape::dense(1, 2),      Shape::dense(2, 2)};
  const PlannedWork whole =
      plan_work(p, small_machine(1, 1, 100'000, 1 << 24), {{"strategy", "stationary-c"}});
  const RemainingWork rest = remaining_work(whole, {true, true, false, false});
  EXPECT_EQ(rest.work.summary.gemms, 2);
  EXPECT_EQ(rest.tiles, (std::vector<TileId>{2, 3}));
  // A(1,0), B(0,0), B(0,1) of 10 x 10 doubles.
  EXPECT_EQ(rest.work.summary.h2d_bytes, 3 * 800);
}

}  // namespace
}  // namespace foretile::remaining_test
