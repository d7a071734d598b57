// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/tile_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

namespace foretile::tile_states_test {
namespace {

constexpr TileRef kTile{Matrix::a, 5};
constexpr std::uint64_t kFirstSocket = 0b0011, kSecondSocket = 0b1100;  // of four devices

TEST(TileStates, NobodyHasATileAtFirst) {
  TileStates tiles(4);
  const TileSlot slot = tiles.slot(kTile, 80);
  EXPECT_EQ(tiles.bytes(slot), 80);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), kHost);
  for (std::size_t d = 0; d < 4; ++d) EXPECT_TRUE(tiles.on(d, slot).absent());
}

TEST(TileStates, ATileBeingLoadedIsComingUntilADeviceHasIt) {
  TileStates tiles(4);
  const TileSlot slot = tiles.slot(kTile, 1);
  const TileSlot other = tiles.slot({Matrix::b, 5}, 1);
  tiles.entered(slot);
  tiles.load_started(slot, 2.0);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), std::nullopt);
  EXPECT_EQ(tiles.source(other, 0, kFirstSocket), kHost);
  tiles.entered(slot);
  tiles.load_started(slot, 1.0);
  EXPECT_EQ(tiles.expected_s(slot), 1.0);
  tiles.load_ended(slot, 1);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), 1);  // one more is coming, but device 1 has it
  tiles.left(slot, 1);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), std::nullopt);
  tiles.entered(slot);
  tiles.load_ended(slot, 2);
  tiles.left(slot, 2);
  tiles.load_started(slot, 7.0);  // the first of a new lot
  EXPECT_EQ(tiles.expected_s(slot), 7.0);
}

TEST(TileStates, ANearDeviceIsPreferredAndTheAskingOneIsNone) {
  TileStates tiles(4);
  const TileSlot slot = tiles.slot(kTile, 1);
  for (const Device device : {Device(0), Device(2)}) {
    tiles.entered(slot);
    tiles.load_started(slot, 0);
    tiles.load_ended(slot, device);
  }
  EXPECT_EQ(tiles.source(slot, 1, kFirstSocket), 0);
  EXPECT_EQ(tiles.source(slot, 3, kSecondSocket), 2);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), 2);  // across the sockets
  tiles.left(slot, 2);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), kHost);
}

/// Random tiles enter and leave three devices. A tile keeps its record until the last of them has left it, no
/// two tiles have the same, and there are never more than were held at once.
TEST(TileStates, ARecordIsFreeOnceTheLastDeviceHasLeftIt) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 draw(kSeed);
  TileStates tiles(3);
  struct Held {
    TileSlot slot;
    std::array<bool, 3> on{};
  };
  std::map<std::pair<Matrix, TileId>, Held> held;
  std::size_t most = 0;
  for (int n = 0; n < 5000; ++n) {
    const TileRef tile{draw() % 2 ? Matrix::a : Matrix::b, static_cast<TileId>(draw() % 60)};
    const auto device = draw() % 3;
    const auto known = held.find({tile.matrix, tile.id});
    ASSERT_EQ(tiles.find(tile), known == held.end() ? kNoSlot : known->second.slot);
    const TileSlot slot = tiles.slot(tile, 10 + tile.id);
    Held& entry = held.try_emplace({tile.matrix, tile.id}, Held{slot, {}}).first->second;
    most = std::max(most, held.size());
    ASSERT_LT(slot, static_cast<TileSlot>(most));
    ASSERT_EQ(tiles.tile(slot), tile);
    ASSERT_EQ(tiles.bytes(slot), 10 + tile.id);
    ASSERT_EQ(!tiles.on(device, slot).absent(), entry.on[device]);
    if (entry.on[device]) {
      tiles.on(device, slot).make_absent();
      tiles.left(slot, Device::of(device));
    } else {
      tiles.on(device, slot).make_pinned(1);
      tiles.entered(slot);
    }
    entry.on[device] = !entry.on[device];
    if (entry.on == std::array<bool, 3>{}) held.erase({tile.matrix, tile.id});
  }
  EXPECT_LT(held.size(), 120U);  // of 120 tiles, some were without a device
}

}  // namespace
}  // namespace foretile::tile_states_test
