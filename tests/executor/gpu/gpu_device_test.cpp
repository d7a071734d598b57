// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/gpu_device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/random.hpp"
#include "executor/gpu/stand_in.hpp"
#include "tests/base/some_of.hpp"

namespace foretile::gpu_device_test {
namespace {

/// Tiles of up to 12 MB, so that moves overlap by more and by less than the memory between them has, keep
/// their numbers through compactions.
TEST(GpuDevice, CompactingKeepsEveryTile) {
  std::int64_t compactions = 0;
  const auto seeds = static_cast<std::uint64_t>(some_of(4));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    StandInGpus gpus;
    GpuDevice device(gpus.open(0, 1), 1, std::int64_t{48} << 20);
    std::map<TileId, std::vector<std::int64_t>> tiles;
    for (TileId next = 0; next < 150; ++next) {
      const std::int64_t bytes =
          8 * (random.real() < 0.5 ? random.integer(1, 1000) : random.integer(1, 1'500'000));
      const TileRef tile{random.integer(0, 1) ? Matrix::a : Matrix::c, next};
      while (!device.has_room_in_all(bytes)) {
        auto leaving = tiles.begin();
        std::advance(leaving, random.integer(0, std::ssize(tiles) - 1));
        const auto number = leaving->first;
        device.release({leaving->second.front() == 0 ? Matrix::a : Matrix::c, number});
        tiles.erase(leaving);
      }
      const std::int64_t compactions_before = compactions;
      if (!device.place(tile, bytes)) {
        EXPECT_GT(device.compact(gpus, bytes), 0);
        ++compactions;
        ASSERT_TRUE(device.place(tile, bytes));
      }
      std::vector<std::int64_t> content(bytes / 8, next);
      content.front() = tile.matrix == Matrix::a ? 0 : 1;
      std::memcpy(device.at(tile), content.data(), bytes);
      tiles[next] = std::move(content);
      if (compactions == compactions_before) continue;
      for (const auto& [number, wanted] : tiles) {
        const TileRef here{wanted.front() == 0 ? Matrix::a : Matrix::c, number};
        ASSERT_EQ(std::memcmp(device.at(here), wanted.data(), 8 * wanted.size()), 0) << "tile " << number;
      }
    }
  }
  EXPECT_GE(compactions, some_of(10));
}

TEST(GpuDevice, TellsWhatHasEndedInTheOrderOfEachLane) {
  StandInGpus gpus;
  GpuDevice device(gpus.open(0, 2), 2, 4096);
  const Task task{Task::Kind::load, {Matrix::a, 0}};
  for (OperationId id = 0; id < 6; ++id) device.expect(id % 2 == 0 ? kInLane : kOutLane, id, task);
  std::vector<OperationId> ended;
  while (!device.idle()) {
    device.collect(ended);
    gpus.pause(0.01);
  }
  std::vector<OperationId> in, out;
  for (const OperationId id : ended) (id % 2 == 0 ? in : out).push_back(id);
  EXPECT_EQ(in, (std::vector<OperationId>{0, 2, 4}));
  EXPECT_EQ(out, (std::vector<OperationId>{1, 3, 5}));
  EXPECT_EQ(device.pending(), nullptr);
}

TEST(GpuDevice, TheFirstProductIsAskedForOnce) {
  StandInGpus gpus;
  GpuDevice device(gpus.open(0, 1), 1, 0);
  device.overwrite_first(3);
  EXPECT_FALSE(device.first_product(4));
  EXPECT_TRUE(device.first_product(3));
  EXPECT_FALSE(device.first_product(3));
}

}  // namespace
}  // namespace foretile::gpu_device_test
