// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/generation.hpp"

#include <gtest/gtest.h>

#include "tests/scheduler/idle_backend.hpp"

namespace foretile::generation_test {
namespace {

/// Notes what is made.
struct Maker final : IdleBackend {
  std::vector<TileId> made;
  std::vector<std::vector<GeneratedPart>> operations;
  std::vector<OperationId> ids;
  OperationId last = 0;
  void start_generate(OperationId id, std::span<const GeneratedPart> parts) override {
    last = id;
    ids.push_back(id);
    operations.emplace_back(parts.begin(), parts.end());
    for (const GeneratedPart& part : parts) made.push_back(part.tile);
  }
};

/// One core makes B for two devices, one column of two tiles each: tiles of 80 bytes for the first device, of
/// 40 for the second. The first begins. Then the second has less in store, and when the first tile has left,
/// the first.
TEST(Generation, TheDeviceWithTheLeastInStoreGoesFirst) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::from_sizes({10, 5}),
                            Tiling::uniform(2, 1),
                            Shape::dense(1, 2),
                            Shape::dense(2, 2),
                            Shape::dense(1, 2),
                            0};
  PlanFrame frame;
  frame.operands.b = kGeneratedAndStays;
  frame.staging_bytes = 1000;
  const RankPlan plans{{{{{{0}, {{{0, 1}}}}}}, {{{{1}, {{{0, 1}}}}}}}, {}};
  TileStates tiles(plans.devices.size());
  std::vector<DeviceQueue> queues;
  BlockPool pool(frame, plans, problem);
  for (Device device = 0; device < std::ssize(plans.devices); ++device)
    queues.emplace_back(problem, pool, device, OnDevice::stays, DeviceTraits{},
                        DeviceMemory(tiles, queues.size(), 1000, [](TileRef) {}));
  Maker backend;
  const SchedulerOptions options;
  Operations operations(backend, 0, options, nullptr);
  Cores cores;
  RankStatistics statistics;
  Generation generation(frame, problem, backend, operations, cores, options);
  const auto make_one = [&] {
    generation.advance(queues);
    EXPECT_EQ(cores.busy, 1);
    const Operation& ended = operations.end(backend.last);
    generation.done(std::get<GenerateOperation>(ended.work), ended.event, statistics);
  };
  make_one();
  make_one();
  generation.left(queues[0], queues[0].chunk(0)->items[0]);
  make_one();
  EXPECT_EQ(backend.made,
            (std::vector<TileId>{*problem.b.find(0, 0), *problem.b.find(0, 1), *problem.b.find(1, 0)}));
  EXPECT_EQ(statistics.generated_tiles, 3);
  EXPECT_EQ(statistics.generated_bytes, 200);
}

/// Two cores, a device with a column of two tiles of B in steps 0 and 1, and room for both: the second one is
/// not made before its step may be loaded.
TEST(Generation, MakesNothingForStepsThatAreHeldBack) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(1, 1),
                            Tiling::uniform(2, 1),
                            Shape::dense(1, 2),
                            Shape::dense(2, 1),
                            Shape::dense(1, 1),
                            0};
  PlanFrame frame;
  frame.operands.b = kGeneratedAndStays;
  frame.barriers = Barriers::local;
  frame.staging_bytes = 1000;
  const RankPlan plan{{DevicePlan{{{{0}, {{{0}, 0}, {{1}, 1}}}}}}, {}};
  TileStates tiles(1);
  std::vector<DeviceQueue> queues;
  BlockPool pool(frame, plan, problem);
  queues.emplace_back(problem, pool, Device(0), OnDevice::stays, DeviceTraits{},
                      DeviceMemory(tiles, 0, 1000, [](TileRef) {}));
  Maker backend;
  SchedulerOptions options;
  options.core_slots = 2;
  Operations operations(backend, 0, options, nullptr);
  Cores cores{0, options.core_slots};
  Generation generation(frame, problem, backend, operations, cores, options);
  generation.advance(queues, 0);
  EXPECT_EQ(backend.made, (std::vector<TileId>{0}));
  generation.advance(queues, 1);
  EXPECT_EQ(backend.made, (std::vector<TileId>{0, 1}));
}

/// Four cores make a column of B for one device: a tile of 10 x 4 numbers, 320 bytes, and two of 2 x 4. Parts
/// have 100 bytes at least, so three cores make the large tile, 13, 13 and 14 numbers, and the fourth the two
/// small ones at once. The large one is there when its last part is.
TEST(Generation, ALargeTileIsMadeInParts) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(4, 4),
                            Tiling::from_sizes({10, 2, 2}),
                            Shape::dense(1, 3),
                            Shape::dense(3, 1),
                            Shape::dense(1, 1),
                            0};
  PlanFrame frame;
  frame.operands.b = kGeneratedAndStays;
  frame.staging_bytes = 1000;
  const RankPlan plan{{DevicePlan{{{{0}, {{{0, 1, 2}}}}}}}, {}};
  TileStates tiles(1);
  std::vector<DeviceQueue> queues;
  BlockPool pool(frame, plan, problem);
  queues.emplace_back(problem, pool, Device(0), OnDevice::stays, DeviceTraits{},
                      DeviceMemory(tiles, 0, 1000, [](TileRef) {}));
  Maker backend;
  SchedulerOptions options;
  options.core_slots = 4;
  options.tiles_at_once = 2;
  options.least_part_bytes = 100;
  Operations operations(backend, 0, options, nullptr);
  Cores cores{0, options.core_slots};
  RankStatistics statistics;
  Generation generation(frame, problem, backend, operations, cores, options);
  generation.advance(queues);
  const TileId large = *problem.b.find(0, 0);
  const TileId first = *problem.b.find(1, 0);
  const TileId second = *problem.b.find(2, 0);
  using Parts = std::vector<std::vector<GeneratedPart>>;
  EXPECT_EQ(backend.operations,
            (Parts{{{large, 0, 13}}, {{large, 13, 13}}, {{large, 26, 14}}, {{first, 0, 8}, {second, 0, 8}}}));
  EXPECT_EQ(cores.busy, 4);
  const auto state = [&](std::size_t item) { return queues[0].chunk(0)->items[item].state; };
  std::size_t whole = 0;
  for (const std::size_t number : {2, 0, 3, 1}) {
    EXPECT_EQ(state(0), ItemState::generating);
    const Operation& ended = operations.end(backend.ids[number]);
    generation.done(std::get<GenerateOperation>(ended.work), ended.event, statistics);
    if (number == 3) whole += 2;
    if (number == 1) ++whole;
    EXPECT_EQ(static_cast<std::size_t>(statistics.generated_tiles), whole);
  }
  for (const Item& item : queues[0].chunk(0)->items) {
    EXPECT_EQ(item.state, item.tile.matrix == Matrix::b ? ItemState::staged : ItemState::waiting);
  }
  EXPECT_EQ(statistics.generate_operations, 4);
  EXPECT_EQ(statistics.generated_bytes, 320 + 2 * 64);
}

/// The same column; a tile is the work of one core, however many there are.
TEST(Generation, ATileHasSoManyCoresAtMost) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(4, 4),
                            Tiling::from_sizes({10, 2, 2}),
                            Shape::dense(1, 3),
                            Shape::dense(3, 1),
                            Shape::dense(1, 1),
                            0};
  PlanFrame frame;
  frame.operands.b = kGeneratedAndStays;
  frame.staging_bytes = 1000;
  const RankPlan plan{{DevicePlan{{{{0}, {{{0, 1, 2}}}}}}}, {}};
  TileStates tiles(1);
  std::vector<DeviceQueue> queues;
  BlockPool pool(frame, plan, problem);
  queues.emplace_back(problem, pool, Device(0), OnDevice::stays, DeviceTraits{},
                      DeviceMemory(tiles, 0, 1000, [](TileRef) {}));
  Maker backend;
  SchedulerOptions options;
  options.core_slots = 4;
  options.least_part_bytes = 100;
  options.most_parts = 1;
  Operations operations(backend, 0, options, nullptr);
  Cores cores{0, options.core_slots};
  Generation generation(frame, problem, backend, operations, cores, options);
  generation.advance(queues);
  using Parts = std::vector<std::vector<GeneratedPart>>;
  EXPECT_EQ(backend.operations, (Parts{{{*problem.b.find(0, 0), 0, 40}},
                                       {{*problem.b.find(1, 0), 0, 8}},
                                       {{*problem.b.find(2, 0), 0, 8}}}));
  EXPECT_EQ(cores.busy, 3);
}

/// One free core takes the parts of the same tile one after the other before it begins the next.
TEST(Generation, AllPartsOfATileComeBeforeTheNext) {
  const Contraction problem{"",
                            Tiling::uniform(1, 1),
                            Tiling::uniform(4, 4),
                            Tiling::from_sizes({10, 10}),
                            Shape::dense(1, 2),
                            Shape::dense(2, 1),
                            Shape::dense(1, 1),
                            0};
  PlanFrame frame;
  frame.operands.b = kGeneratedAndStays;
  frame.staging_bytes = 330;  // of one tile
  const RankPlan plan{{DevicePlan{{{{0}, {{{0, 1}}}}}}}, {}};
  TileStates tiles(1);
  std::vector<DeviceQueue> queues;
  BlockPool pool(frame, plan, problem);
  queues.emplace_back(problem, pool, Device(0), OnDevice::stays, DeviceTraits{},
                      DeviceMemory(tiles, 0, 1000, [](TileRef) {}));
  Maker backend;
  SchedulerOptions options;
  options.core_slots = 2;
  options.least_part_bytes = 100;
  Operations operations(backend, 0, options, nullptr);
  Cores cores{1, options.core_slots};  // the other core computes
  RankStatistics statistics;
  Generation generation(frame, problem, backend, operations, cores, options);
  const auto make_one = [&] {
    generation.advance(queues);
    EXPECT_EQ(cores.busy, 2);
    const Operation& ended = operations.end(backend.last);
    generation.done(std::get<GenerateOperation>(ended.work), ended.event, statistics);
  };
  make_one();
  make_one();
  generation.advance(queues);
  EXPECT_EQ(cores.busy, 1);  // the staging area is full
  generation.left(queues[0], queues[0].chunk(0)->items[0]);
  make_one();
  make_one();
  const TileId first = *problem.b.find(0, 0);
  const TileId second = *problem.b.find(1, 0);
  EXPECT_EQ(backend.made, (std::vector<TileId>{first, first, second, second}));
  EXPECT_EQ(statistics.generated_tiles, 2);
}

}  // namespace
}  // namespace foretile::generation_test
