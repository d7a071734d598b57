// SPDX-License-Identifier: BSD-3-Clause
// Plans of local-b. That they are correct is the verifier's business; that they are good is checked here.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "planner/plan/owners.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::local_b_test {
namespace {

using Tiles = std::vector<TileId>;

Tiles loads_of(const Block& block) {
  Tiles loads;
  for (const Chunk& chunk : block.chunks) loads.insert(loads.end(), chunk.a.begin(), chunk.a.end());
  return loads;
}

std::int64_t received(const Plan& plan, const Contraction& p) {
  return verify(plan, p).network_bytes;
}

/// K and N have 8 equal tiles, A is one full row; columns 2 i and 2 i + 1 of B
/// have rows 2 i and 2 i + 1, and need the same two tiles of A.
Contraction pairs() {
  std::vector<Shape::Entry> b;
  for (std::int32_t j = 0; j < 8; ++j) {
    for (const std::int32_t k : {j / 2 * 2, j / 2 * 2 + 1}) b.push_back({k, j});
  }
  Contraction p{"",
                Tiling::uniform(4, 4),
                Tiling::uniform(32, 4),
                Tiling::uniform(32, 4),
                Shape::dense(1, 8),
                Shape(8, 8, std::move(b)),
                Shape::dense(1, 8),
                0};
  p.sources.b = Source::generated;
  return p;
}

/// Two ranks with two devices: each device gets two columns with the same tiles, so of the 8 tiles of A (128
/// bytes each) every rank needs 4, and owns 2 of these (k mod 2). Distributed mirrored (0 3 4 7 | 1 2 5
/// 6), a rank needs all 8.
TEST(LocalB, ColumnsWithTheSameTilesOfALieTogether) {
  const Contraction p = pairs();
  Machine machine = small_machine(2, 2, 10000, 100000);
  machine.platform.runtime.copy_overhead_s = 1e-3;
  const Plan local = make_plan(p, machine, {{"strategy", "local-b"}});
  for (const RankPlan& rank : local.ranks) {
    for (const DevicePlan& device : rank.devices) {
      ASSERT_EQ(device.blocks.size(), 1U);
      const auto& columns = device.blocks[0].columns;
      ASSERT_EQ(columns.size(), 2U);
      EXPECT_EQ(columns[0] / 2, columns[1] / 2);
      EXPECT_EQ(loads_of(device.blocks[0]).size(), 2U);
    }
  }
  EXPECT_EQ(received(local, p), 2 * 2 * 128);
  EXPECT_EQ(received(make_plan(p, machine, {{"strategy", "stationary-b"}}), p), 2 * 4 * 128);
}

/// Own tiles are there at once; the others come in the order in which they were sent.
TEST(LocalB, LoadsOwnTilesFirst) {
  const Contraction p = pairs();
  Machine machine = small_machine(2, 1, 10000, 100000);
  machine.platform.runtime.message_overhead_s = 1e-3;
  const Plan plan = make_plan(p, machine, {{"strategy", "local-b"}});
  for (Rank rank = 0; rank < 2; ++rank) {
    const Tiles loads = loads_of(plan.ranks[rank].devices[0].blocks.at(0));
    const auto own = [&](TileId a) { return owner_of(p, plan, {Matrix::a, a}) == rank; };
    EXPECT_TRUE(std::is_partitioned(loads.begin(), loads.end(), own));
    Tiles sent;
    for (const Transfer& transfer : plan.ranks[1 - rank].transfers)
      sent.insert(sent.end(), transfer.tiles.begin(), transfer.tiles.end());
    EXPECT_EQ(Tiles(std::partition_point(loads.begin(), loads.end(), own), loads.end()), sent);
  }
}

/// One column of B, distributed once; devices without columns have no blocks.
TEST(LocalB, MoreDevicesThanColumns) {
  const Contraction p{"",
                      Tiling::uniform(4, 4),
                      Tiling::uniform(4, 4),
                      Tiling::uniform(4, 4),
                      Shape::dense(1, 1),
                      Shape::dense(1, 1),
                      Shape::dense(1, 1),
                      0};
  const Plan plan = make_plan(p, small_machine(3, 2, 10000, 100000), {{"strategy", "local-b"}});
  EXPECT_EQ(verify(plan, p).gemms, 1);
}

TEST(LocalB, NothingToDo) {
  Contraction p = pairs();
  p.a = Shape(1, 8, {});
  p.c = Shape(1, 8, {});
  const Plan plan = make_plan(p, small_machine(3, 2, 10000, 100000), {{"strategy", "local-b"}});
  EXPECT_EQ(verify(plan, p).gemms, 0);
}

/// Every plan verifies or is refused in words; tiles of A of a block are loaded once, in chunks that are
/// full.
TEST(LocalB, RandomProblems) {
  int planned = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = random_local_case(seed);
    Plan plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find("missing") != std::string::npos || text.find("at most 1;") != std::string::npos)
          << text;
      continue;
    }
    ++planned;
    const PlanSummary summary = verify(plan, c.problem);
    EXPECT_EQ(summary.gemms, traits(c.problem).gemms);
    for (const RankPlan& rank : plan.ranks) {
      for (const DevicePlan& device : rank.devices) {
        for (const Block& block : device.blocks) {
          const Tiles loads = loads_of(block);
          EXPECT_EQ(std::set<TileId>(loads.begin(), loads.end()).size(), loads.size());
        }
      }
    }
  }
  EXPECT_GT(planned, 200);
}

/// The plan of a rank does not depend on which others were planned.
TEST(LocalB, ARankPlansItselfAlone) {
  const RandomCase c = random_local_case(4);
  const Plan plan = make_plan(c.problem, c.machine, c.settings);
  const auto planner = prepare_planner(c.problem, c.machine, c.settings);
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    const RankPlan alone = planner->plan_rank(rank);
    ASSERT_EQ(alone.devices.size(), plan.ranks[rank].devices.size());
    for (std::size_t d = 0; d < alone.devices.size(); ++d) {
      const auto& blocks = plan.ranks[rank].devices[d].blocks;
      ASSERT_EQ(alone.devices[d].blocks.size(), blocks.size());
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        EXPECT_EQ(alone.devices[d].blocks[b].columns, blocks[b].columns);
        EXPECT_EQ(loads_of(alone.devices[d].blocks[b]), loads_of(blocks[b]));
      }
    }
  }
}

}  // namespace
}  // namespace foretile::local_b_test
