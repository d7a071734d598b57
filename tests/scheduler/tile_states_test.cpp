#include "scheduler/tile_states.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace foretile {
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
  tiles.load_started(slot, 2.0);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), std::nullopt);
  EXPECT_EQ(tiles.source(other, 0, kFirstSocket), kHost);
  tiles.load_started(slot, 1.0);
  EXPECT_EQ(tiles.expected_s(slot), 1.0);
  tiles.load_ended(slot, 1);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), 1);  // one more is coming, but device 1 has it
  tiles.left(slot, 1);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), std::nullopt);
  tiles.load_ended(slot, 2);
  tiles.left(slot, 2);
  tiles.load_started(slot, 7.0);  // the first of a new lot
  EXPECT_EQ(tiles.expected_s(slot), 7.0);
}

TEST(TileStates, ANearDeviceIsPreferredAndTheAskingOneIsNone) {
  TileStates tiles(4);
  const TileSlot slot = tiles.slot(kTile, 1);
  for (const Device device : {Device(0), Device(2)}) {
    tiles.load_started(slot, 0);
    tiles.load_ended(slot, device);
  }
  EXPECT_EQ(tiles.source(slot, 1, kFirstSocket), 0);
  EXPECT_EQ(tiles.source(slot, 3, kSecondSocket), 2);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), 2);  // across the sockets
  tiles.left(slot, 2);
  EXPECT_EQ(tiles.source(slot, 0, kFirstSocket), kHost);
}

TEST(TileStates, ATileKeepsItsRecordWhateverElseComes) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 draw(kSeed);
  TileStates tiles(3);
  std::map<std::pair<Matrix, TileId>, TileSlot> known;
  for (Step step = 0; step < 2000; ++step) {
    const TileRef tile{draw() % 2 ? Matrix::a : Matrix::b, static_cast<TileId>(draw() % 500)};
    const TileSlot slot = tiles.slot(tile, 10 + tile.id);
    ASSERT_EQ(known.try_emplace({tile.matrix, tile.id}, slot).first->second, slot);
    ASSERT_EQ(tiles.tile(slot), tile);
    tiles.on(2, slot).make_pinned(static_cast<std::int32_t>(tile.id));
  }
  for (const auto& [tile, slot] : known) {
    EXPECT_EQ(tiles.on(2, slot).pins(), tile.second);
    EXPECT_TRUE(tiles.on(1, slot).absent());
    EXPECT_EQ(tiles.bytes(slot), 10 + tile.second);
  }
}

}  // namespace
}  // namespace foretile
