#include "scheduler/generation.hpp"

#include <gtest/gtest.h>

#include "tests/scheduler/idle_backend.hpp"

namespace foretile {
namespace {

/// Notes which tiles are made.
struct Maker final : IdleBackend {
  std::vector<TileId> made;
  OperationId last = 0;
  void start_generate(OperationId id, std::span<const TileId> tiles) override {
    last = id;
    made.insert(made.end(), tiles.begin(), tiles.end());
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
  frame.operands.b = kMadeAndStays;
  frame.staging_bytes = 1000;
  const std::vector<DevicePlan> plans{{{{{0}, {{{0, 1}}}}}}, {{{{1}, {{{0, 1}}}}}}};
  TileStates tiles(plans.size());
  std::vector<DeviceQueue> queues;
  for (const DevicePlan& plan : plans)
    queues.emplace_back(problem, plan, OnDevice::stays, DeviceTraits{},
                        DeviceMemory(tiles, queues.size(), 1000, [](TileRef) {}));
  Maker backend;
  const SchedulerOptions options;
  Operations operations(backend, 0, options, nullptr);
  Cores cores;
  RankStatistics statistics;
  Generation generation(frame, problem, backend, operations, cores, 1);
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

}  // namespace
}  // namespace foretile
