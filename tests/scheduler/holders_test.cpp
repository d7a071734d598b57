#include "scheduler/holders.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

const TileRef tile{Matrix::a, 5};
const std::vector<int> sockets{0, 0, 1, 1};

TEST(Holders, NobodyHasATileAtFirst) {
  const Holders holders;
  EXPECT_EQ(holders.source(tile, 0, sockets), kHost);
}

TEST(Holders, ATileBeingLoadedIsComingUntilADeviceHasIt) {
  Holders holders;
  holders.load_started(tile, 0);
  EXPECT_EQ(holders.source(tile, 0, sockets), std::nullopt);
  EXPECT_EQ(holders.source({Matrix::b, 5}, 0, sockets), kHost);
  holders.load_started(tile, 0);
  holders.load_ended(tile, 1);
  EXPECT_EQ(holders.source(tile, 0, sockets), 1);  // one more is coming, but device 1 has it
  holders.left(tile, 1);
  EXPECT_EQ(holders.source(tile, 0, sockets), std::nullopt);
}

TEST(Holders, ANearDeviceIsPreferredAndTheAskingOneIsNone) {
  Holders holders;
  for (const int device : {0, 2}) {
    holders.load_started(tile, 0);
    holders.load_ended(tile, device);
  }
  EXPECT_EQ(holders.source(tile, 1, sockets), 0);
  EXPECT_EQ(holders.source(tile, 3, sockets), 2);
  EXPECT_EQ(holders.source(tile, 0, sockets), 2);  // across the sockets
  holders.left(tile, 2);
  EXPECT_EQ(holders.source(tile, 0, sockets), kHost);
}

}  // namespace
}  // namespace foretile
