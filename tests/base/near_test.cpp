// SPDX-License-Identifier: BSD-3-Clause
#include "base/near.hpp"

#include <gtest/gtest.h>

namespace foretile::near_test {
namespace {

TEST(Near, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);  // k->s, e->i, +g
  EXPECT_EQ(edit_distance("ab", "ba"), 1);           // one swap
  EXPECT_EQ(edit_distance("grid.p", "grid.p"), 0);
}

TEST(Near, OffersTheNearestFirstAndNothingForStrangers) {
  const std::vector<std::string> keys = {"nvlink.bandwidth", "nvlink.latency", "nodes"};
  EXPECT_EQ(near_matches("nvlink.bandwith", keys), (std::vector<std::string>{"nvlink.bandwidth"}));
  EXPECT_EQ(near_matches("bandwidth", keys), (std::vector<std::string>{"nvlink.bandwidth"}));
  EXPECT_EQ(near_matches("nvlink", keys).size(), 2U);
  EXPECT_TRUE(near_matches("zzz", keys).empty());
  EXPECT_TRUE(near_matches("", keys).empty());
}

TEST(Near, AsksInWords) {
  EXPECT_EQ(did_you_mean("node", {"nodes", "other"}), "did you mean \"nodes\"?");
  EXPECT_EQ(did_you_mean("noded", {"nodes", "node"}), "did you mean \"node\" or \"nodes\"?");
  EXPECT_EQ(did_you_mean("x", {"nodes"}), "");
}

}  // namespace
}  // namespace foretile::near_test
