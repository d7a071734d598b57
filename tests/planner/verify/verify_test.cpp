// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/verify.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "planner/strategies/strategy.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/planner/verify/refused.hpp"

namespace foretile::verify_test {
namespace {

/// Grid 1 x 2, one device each. M has 2 tiles of 2 rows, N 4 tiles of 2, K 2 tiles of 2: every tile
/// takes 8 * 2 * 2 = 32 bytes and everything is dense, so there are 2 * 4 * 2 = 16 products. All columns
/// weigh the same: rank 0 gets columns 0 and 3, rank 1 gets 1 and 2. A block takes 2 columns * (2 B + 2 C)
/// tiles = 256 bytes; A has four tiles = 128 bytes, in chunks of two tiles (64 bytes). With lookahead 1 a
/// device needs 256 + 2 * 64 = 384 bytes.
/// Rank 0 owns A(.,0) (tiles 0 and 2), rank 1 owns A(.,1) (tiles 1 and 3); each sends both to the other.
struct Example {
  Example()
      : problem{"",
                Tiling::uniform(4, 2),
                Tiling::uniform(8, 2),
                Tiling::uniform(4, 2),
                Shape::dense(2, 2),
                Shape::dense(2, 4),
                Shape::dense(2, 4),
                0,
                false,
                Precision::f64,
                {Source::given, Source::generated}},
        plan(make_plan(problem, small_machine(2, 1, 400, 4000),
                       {{"block_fraction", "0.64"}, {"chunk_fraction", "0.16"}})) {
    plan.device_classes[0].memory_bytes = 384;
  }

  Block& block(Rank rank) { return plan.ranks[rank].devices[0].blocks[0]; }

  Contraction problem;
  Plan plan;
};

/// Host: all of A (128) + C of two columns (4 tiles, 128) + staging, which needs no
/// more than the rank's B (128). B is generated once per rank: 2 * 4
/// tiles. Network: two tiles each way. Loads: B 256 in all, A 128 per rank.
TEST(Verify, AcceptsTheExampleAndCounts) {
  Example example;
  const PlanSummary s = verify(example.plan, example.problem);
  EXPECT_EQ(example.block(0).columns, (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(example.block(0).chunks.size(), 2U);
  EXPECT_EQ(s.gemms, 16);
  EXPECT_EQ(s.blocks, 2);
  EXPECT_EQ(s.chunks, 4);
  EXPECT_EQ(s.peak_device_bytes, 384);
  EXPECT_EQ(s.peak_host_bytes, 256 + 128);
  EXPECT_EQ(s.generated_bytes, 256);
  EXPECT_EQ(s.network_bytes, 128);
  EXPECT_EQ(s.h2d_bytes, 512);
  EXPECT_EQ(s.d2h_bytes, 256);
  EXPECT_DOUBLE_EQ(s.imbalance, 1.0);
}

TEST(Verify, CatchesADroppedTask) {
  Example example;
  example.block(0).chunks[0].a.pop_back();  // its own tile: no message betrays it
  expect_refused(example, {"no task for A(", "every nonzero product once"});
}

TEST(Verify, CatchesADroppedColumn) {
  Example example;
  example.block(1).columns.pop_back();
  expect_refused(example, {"no task for A("});
}

TEST(Verify, CatchesATaskTwice) {
  Example example;
  example.block(0).chunks[1].a.push_back(example.block(0).chunks[0].a[0]);
  expect_refused(example, {"rank 0 device 0 block 0", "twice"});
}

TEST(Verify, CatchesAColumnTwice) {
  Example example;
  example.block(0).columns = {0, 0, 3};
  expect_refused(example, {"column 0", "increasing columns below 4"});
}

TEST(Verify, CatchesColumnsOutOfOrder) {
  Example example;
  example.block(0).columns = {3, 0};
  expect_refused(example, {"column 0", "increasing columns below 4"});
}

TEST(Verify, CatchesColumnsThatDoNotExist) {
  for (const std::int32_t column : {-1, 4, std::numeric_limits<std::int32_t>::max()}) {
    Example example;
    example.block(0).columns.push_back(column);
    expect_refused(example, {fmt::format("column {}", column)});
  }
}

TEST(Verify, CatchesTilesThatDoNotExist) {
  for (const TileId tile : {TileId{-1}, TileId{4}}) {
    Example chunk;
    chunk.block(0).chunks[0].a[0] = tile;
    expect_refused(chunk, {fmt::format("A tile {}", tile), "a nonzero tile"});
    Example message;
    message.plan.ranks[0].transfers[0].tiles[0] = tile;
    expect_refused(message, {fmt::format("A tile {}", tile), "its own tiles"});
  }
}

TEST(Verify, CatchesDeviceMemoryExceeded) {
  Example example;
  example.plan.device_classes[0].memory_bytes = 383;
  expect_refused(example,
                 {"384 bytes", "1 bytes are missing", "block_fraction", "chunk_fraction", "lookahead"});
}

/// Chunks that are loaded ahead count: with lookahead 0 one chunk of 64 bytes less is enough.
TEST(Verify, CountsLookahead) {
  Example example;
  example.plan.device_classes[0].memory_bytes = 320;
  expect_refused(example, {"64 bytes are missing"});
  example.plan.lookahead = 0;
  EXPECT_EQ(complaint(example.plan, example.problem), "");
}

TEST(Verify, CatchesHostMemoryExceeded) {
  Example example;
  example.plan.staging_bytes = 128;
  example.plan.host_budget_bytes = 256 + 128 - 3;
  expect_refused(example, {"A 128 B, C 128 B", "3 bytes are missing", "grid.p", "staging_fraction"});
}

/// Cores keep their block's tiles of B, 128 bytes, in host memory: with what is staged no more than all of B.
TEST(Verify, CountsGeneratedTilesThatCoresKeep) {
  Example example;
  example.plan.device_classes[0].kind = DeviceKind::core;
  example.plan.staging_bytes = 32;
  EXPECT_EQ(verify(example.plan, example.problem).peak_host_bytes, 256 + 32 + 96);
  example.plan.host_budget_bytes = 256 + 32 + 96 - 1;
  expect_refused(example, {"A 128 B, C 128 B", "staging 32.0 B, B on cores 96.0 B", "1 bytes are missing"});
  example.plan.device_classes[0].kind = DeviceKind::gpu;
  EXPECT_EQ(verify(example.plan, example.problem).peak_host_bytes, 256 + 32);
}

TEST(Verify, CatchesStagingTooSmall) {
  Example example;
  example.plan.staging_bytes = 31;
  expect_refused(example, {"tile of B of 32 bytes", "1 bytes are missing", "raise staging_fraction"});
}

TEST(Verify, CatchesStagingLargerThanTheHost) {
  Example example;
  example.plan.staging_bytes = std::numeric_limits<std::int64_t>::max();
  expect_refused(example, {"are missing", "lower staging_fraction"});
}

TEST(Verify, CatchesNegativeNumbers) {
  for (const auto member : {&Plan::host_budget_bytes, &Plan::staging_bytes, &Plan::copy_batch_bytes}) {
    Example example;
    example.plan.*member = -1;
    expect_refused(example, {"-1 bytes", "at least 0"});
  }
  Example lookahead;
  lookahead.plan.lookahead = -1;
  expect_refused(lookahead, {"lookahead", "-1"});
  Example device;
  device.plan.device_classes.push_back({DeviceKind::core, -1});
  expect_refused(device, {"device budget", "-1 bytes", "at least 0"});
}

TEST(Verify, CatchesADeviceOfNoClass) {
  for (const int number : {-1, 1}) {
    Example example;
    example.plan.ranks.back().devices.back().device_class = number;
    expect_refused(example, {fmt::format("class {}", number), "one of 1 classes"});
  }
}

/// A second class with a byte less than the largest block needs: it matters only to the devices of that
/// class.
TEST(Verify, LooksAtEachDevicesOwnMemory) {
  Example example;
  example.plan.device_classes.push_back({DeviceKind::gpu, 383});
  EXPECT_NO_THROW(verify(example.plan, example.problem));
  for (DevicePlan& device : example.plan.ranks[0].devices) device.device_class = 1;
  expect_refused(example, {"at most the device budget of 383", "1 bytes are missing"});
}

TEST(Verify, CatchesALaunchOfNothing) {
  for (const int batch : {0, -7}) {
    Example example;
    example.plan.batch = batch;
    expect_refused(example, {"batch", std::to_string(batch), "at least 1"});
  }
}

/// There is no chunk of the next block beside whose loads C could enter.
TEST(Verify, CatchesPrefetchedCBesideBThatStays) {
  Example example;
  example.plan.prefetch_c = true;
  expect_refused(example, {"prefetch_c"});
}

TEST(Verify, CatchesOperandsThatNothingCanFollow) {
  using enum OnDevice;
  const auto refused = [](const char* word, OperandPlan Operands::*operand, Source source,
                          OnDevice on_device) {
    Example example;
    example.plan.operands.*operand = {source, on_device};
    expect_refused(example, {word});
  };
  refused("operand A", &Operands::a, Source::given, stays);
  refused("operand A", &Operands::a, Source::generated, streams);
  refused("operand B", &Operands::b, Source::given, stays);
  refused("operand B", &Operands::b, Source::generated, streams);
  refused("operand C", &Operands::c, Source::given, streams);
  refused("operand C", &Operands::c, Source::generated, stays);
  refused("operand A", &Operands::a, Source::in_file, streams);
  refused("operand B", &Operands::b, Source::in_file, streams);
  refused("operand C", &Operands::c, Source::in_file, stays);
}

/// Where B stays there is no pool, no steps, and C of one block at a time.
TEST(Verify, CatchesWhatIsNothingBesideABThatStays) {
  const auto refused = [](const char* word, const auto& change) {
    Example example;
    example.plan.operands.b = kGeneratedAndStays;
    change(example.plan);
    expect_refused(example, {word, "beside a B that stays"});
  };
  refused("prefetch_c", [](Plan& plan) { plan.prefetch_c = true; });
  refused("pool", [](Plan& plan) { plan.pool = Pool::open; });
  refused("steps", [](Plan& plan) { plan.steps = {0, 1}; });
}

TEST(Verify, CatchesTilesInPlaceThatAreNotThere) {
  const auto refused = [](const char* words, OperandPlan Operands::*operand, std::int64_t tiles) {
    Example example;
    (example.plan.operands.*operand).in_place.assign(static_cast<std::size_t>(tiles), true);
    expect_refused(example, {words});
  };
  const Example sound;
  refused("tiles of A in place", &Operands::a, sound.problem.a.nonzeros() - 1);
  refused("tiles of B in place", &Operands::b, sound.problem.b.nonzeros() + 1);
  refused("tiles of C in place", &Operands::c, sound.problem.c.nonzeros());
}

/// 6 * 715827883 is 2 in 32 bits.
TEST(Verify, CatchesAGridThatIsNotThePlans) {
  for (const ProcessGrid grid : {ProcessGrid{0, 2},
                                 {1, 0},
                                 {-1, -2},
                                 {2, 2},
                                 {1 << 16, 1 << 16},
                                 {6, 715827883},
                                 {1, 2, 0},
                                 {1, 2, -1},
                                 {1, 2, 2}}) {
    Example example;
    example.plan.grid = grid;
    expect_refused(example, {"grid", fmt::format("{} x {} x {} and 2 ranks", grid.p, grid.q, grid.r)});
  }
}

TEST(Verify, CatchesLayers) {
  Example example;
  example.plan.grid = {1, 1, 2};
  expect_refused(example, {"grid", "2 layers"});
}

TEST(Verify, CatchesNodesThatCutTheGridUnevenly) {
  for (const std::array<int, 3> node : {std::array{2, 1, 1}, {1, 3, 1}, {1, 1, 2}, {0, 2, 1}, {-1, 2, 1}}) {
    Example example;
    example.plan.grid.node = AlongAxes{node};
    expect_refused(example, {"grid.node", fmt::format("{} x {} x {}", node[0], node[1], node[2])});
  }
}

/// Rank 0 owns the first two tiles of A, row 0, and sends them; rank 1 sends row 1. All use all of A.
TEST(Verify, FollowsAContiguousDistribution) {
  Example example;
  example.plan.operands.a.distribution.kind = DistributionKind::contiguous;
  expect_refused(example, {"its own tiles"});
  example.plan.ranks[0].transfers = {{{0, 1}, {1}}};
  example.plan.ranks[1].transfers = {{{2, 3}, {0}}};
  EXPECT_EQ(verify(example.plan, example.problem).network_bytes, 128);
}

/// A's four tiles on the ranks where they live, written down one by one: the plan is as good as before. B,
/// which is made, and C need no owner, but what stands there must be right.
TEST(Verify, FollowsATableOfOwners) {
  Example example;
  example.plan.operands.a.distribution = {DistributionKind::table, {0, 1, 0, 1}};
  EXPECT_EQ(verify(example.plan, example.problem).network_bytes, 128);
  example.plan.operands.a.distribution.owners = {1, 0, 1, 0};
  expect_refused(example, {"rank 0", "its own tiles"});
  example.plan.operands.a.distribution.owners = {0, 1, 0};
  expect_refused(example, {"owners of A", "3 tiles", "expected 4"});
  example.plan.operands.a.distribution.owners = {0, 1, 0, 2};
  expect_refused(example, {"owners of A", "rank 2", "0 to 1"});
  example.plan.operands.a.distribution.owners = {0, 1, 0, -1};
  expect_refused(example, {"owners of A", "rank -1"});
  example.plan.operands.a.distribution = {};
  example.plan.operands.c.distribution = {DistributionKind::table, {0}};
  expect_refused(example, {"owners of C", "1 tiles", "expected 8"});
}

TEST(Verify, CatchesAMissingSource) {
  Example example;
  example.plan.ranks[0].transfers[0].others.clear();
  expect_refused(example, {"rank 1", "no source for A tile"});
}

TEST(Verify, CatchesSumsAndTreesThatNobodyFollows) {
  Example sum;
  sum.plan.ranks[0].transfers[0].kind = TransferKind::parts;
  EXPECT_NE(complaint(sum.plan, sum.problem).find("parts of C among the broadcasts"), std::string::npos);
  Example tree;
  tree.plan.ranks[0].transfers[0].tree = static_cast<Tree>(7);
  EXPECT_NE(complaint(tree.plan, tree.problem).find("tree 7"), std::string::npos);
  tree.plan.ranks[0].transfers[0].tree = Tree::chain;
  EXPECT_EQ(complaint(tree.plan, tree.problem), "");
}

TEST(Verify, CatchesATileSentTwice) {
  Example example;
  example.plan.ranks[0].transfers.push_back(example.plan.ranks[0].transfers[0]);
  expect_refused(example, {"rank 1", "sent 2 times"});
}

/// 256 messages must not count as none.
TEST(Verify, CatchesATileSentManyTimes) {
  Example example;
  example.plan.ranks[0].transfers.assign(256, example.plan.ranks[0].transfers[0]);
  expect_refused(example, {"rank 1", "times"});
}

TEST(Verify, CatchesATileSentToItsOwner) {
  Example example;
  example.plan.ranks[0].transfers[0].others = {1, 0};
  expect_refused(example, {"rank 0", "sent 1 times"});
}

/// With a third rank that has nothing to do.
TEST(Verify, CatchesATileSentWhereNobodyNeedsIt) {
  Example example;
  example.plan = make_plan(example.problem, small_machine(3, 1, 10000, 40000), {});
  example.plan.ranks[2].devices[0].blocks.clear();
  expect_refused(example, {"rank 2", "not needed"});
}

TEST(Verify, CatchesATileSentByAnother) {
  Example example;
  std::swap(example.plan.ranks[0].transfers, example.plan.ranks[1].transfers);
  expect_refused(example, {"its own tiles"});
}

TEST(Verify, CatchesMessagesToNoRankEvenWithoutTiles) {
  for (const int to : {-1, 2, std::numeric_limits<int>::min()}) {
    Example example;
    example.plan.ranks[0].transfers[0].others.push_back(Rank::of(to));
    expect_refused(example, {fmt::format("a message to rank {}", to)});
  }
  Example empty;
  empty.plan.ranks[0].transfers.push_back({{}, {-7}});
  expect_refused(empty, {"a message without tiles"});
}

/// The block's rows of A are split between two blocks with the same columns: B's tiles would be made twice.
TEST(Verify, CatchesBGeneratedTwiceOnARank) {
  Example example;
  Block second = example.block(0);
  example.block(0).chunks = {{{0, 1}}};
  second.chunks = {{{2, 3}}};
  example.plan.ranks[0].devices[0].blocks.push_back(second);
  expect_refused(example, {"rank 0 device 0 block 1", "generated again", "once per rank"});
}

/// Split by k instead: every B tile once, but C's tiles would be stored twice.
TEST(Verify, CatchesCInTwoBlocks) {
  Example example;
  Block second = example.block(0);
  example.block(0).chunks = {{{0, 2}}};
  second.chunks = {{{1, 3}}};
  example.plan.ranks[0].devices[0].blocks.push_back(second);
  expect_refused(example, {"in a second block"});
}

TEST(Verify, CatchesEmptyBlocksAndChunks) {
  Example chunk;
  chunk.block(0).chunks.insert(chunk.block(0).chunks.begin(), Chunk{});
  expect_refused(chunk, {"a chunk without tiles"});
  Example block;
  block.plan.ranks[0].devices[0].blocks.push_back({{}, {}});
  expect_refused(block, {"block 1", "no chunks"});
}

/// A tile that the block does not multiply would be loaded for nothing, and a device that waits for the
/// products of such tiles alone would wait for ever.
TEST(Verify, CatchesATileWithoutProducts) {
  Example example;
  example.problem.b = Shape(2, 4, {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {1, 3}});
  example.plan = make_plan(example.problem, small_machine(1, 1, 10000, 40000), {});
  example.plan.ranks[0].devices[0].blocks = {{{0}, {{{0, 1, 2, 3}}}}, {{1, 2, 3}, {{{1, 3}}}}};
  EXPECT_EQ(complaint(example.plan, example.problem), "");
  example.plan.ranks[0].devices[0].blocks[1].chunks.push_back({{0}});
  expect_refused(example, {"block 1", "A tile 0 without a product"});
}

TEST(Verify, AcceptsNothingToDo) {
  Example example;
  example.problem.a = Shape(2, 2, {});
  example.problem.c = Shape(2, 4, {});
  EXPECT_EQ(make_plan(example.problem, small_machine(2, 2, 400, 4000), {}).ranks[0].devices.size(), 2U);
  const Plan plan = make_plan(example.problem, small_machine(2, 2, 400, 4000), {});
  EXPECT_EQ(verify(plan, example.problem).gemms, 0);
}

}  // namespace
}  // namespace foretile::verify_test
