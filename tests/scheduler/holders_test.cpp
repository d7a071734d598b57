#include "scheduler/holders.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

const TileRef tile{Matrix::a, 5};
const std::vector<int> sockets{0, 0, 1, 1};

TEST(Holders, NobodyHasATileAtFirst) {
  const Holders holders;
  EXPECT_EQ(holders.source(tile, 0, sockets), kHost);
  EXPECT_FALSE(holders.only_coming(tile));
}

TEST(Holders, ATileBeingLoadedIsComingUntilADeviceHasIt) {
  Holders holders;
  holders.load_started(tile);
  EXPECT_TRUE(holders.only_coming(tile));
  EXPECT_FALSE(holders.only_coming({Matrix::b, 5}));
  holders.load_started(tile);
  holders.load_ended(tile, 1);
  EXPECT_FALSE(holders.only_coming(tile));  // one more is coming, but device 1 has it
  EXPECT_EQ(holders.source(tile, 0, sockets), 1);
  holders.left(tile, 1);
  EXPECT_TRUE(holders.only_coming(tile));
}

TEST(Holders, ANearDeviceIsPreferredAndTheAskingOneIsNone) {
  Holders holders;
  for (const int device : {0, 2}) {
    holders.load_started(tile);
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
