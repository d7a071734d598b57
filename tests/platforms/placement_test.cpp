// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/placement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace foretile::placement_test {
namespace {

/// 24 nodes in groups of 6, which have leaves of 2.
Platform groups_of_six(const std::string& placement) {
  Platform p;
  p.nodes = 24;
  p.fabric.type = "dragonfly+";
  p.fabric.group_nodes = 6;
  p.fabric.leaf_nodes = 2;
  p.fabric.placement = placement;
  return p;
}

/// "group/leaf ..."
std::string places(const Platform& p, int nodes) {
  std::string text;
  for (const NodePlace& x : node_places(p, nodes))
    text += std::to_string(x.group) + "/" + std::to_string(x.leaf) + " ";
  return text;
}

std::string error_of(const std::string& placement, int nodes) {
  try {
    static_cast<void>(node_places(groups_of_six(placement), nodes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Placement, PacksAndScatters) {
  EXPECT_EQ(places(groups_of_six("packed"), 8), "0/0 0/0 0/1 0/1 0/2 0/2 1/3 1/3 ");
  EXPECT_EQ(places(groups_of_six("scattered"), 6), "0/0 1/3 2/6 3/9 0/1 1/4 ");
  EXPECT_EQ(places(Platform(), 1), "0/0 ") << "no leaves and groups are described";
  EXPECT_EQ(groups_of(groups_of_six("packed")), 4);
}

TEST(Placement, ReadsLists) {
  EXPECT_EQ(places(groups_of_six("0 0 0 3"), 4), "0/0 0/0 0/1 3/9 ");
  EXPECT_EQ(places(groups_of_six("2/1 2/1  2/2"), 2), "2/7 2/7 ");
}

TEST(Placement, RefusesListsThatDoNotFit) {
  EXPECT_NE(error_of("0 0", 3).find("places of 2 nodes"), std::string::npos);
  EXPECT_NE(error_of("0 0 0 0 0 0 0", 7).find("more than 6 nodes in group 0"), std::string::npos);
  EXPECT_NE(error_of("1/0 1/0 1/0", 3).find("more than 2 nodes at leaf 1/0"), std::string::npos);
  EXPECT_NE(error_of("0 4", 2).find("groups 0 to 3"), std::string::npos);
  EXPECT_NE(error_of("0/3", 1).find("leaves 0 to 2"), std::string::npos);
  for (const char* const bad : {"", "x", "-1", "0/", "/0", "1,2"})
    EXPECT_NE(error_of(bad, 1).find("platform.fabric.placement"), std::string::npos) << bad;
}

TEST(Placement, CountsSwitches) {
  const NodePlace here{0, 0}, leaf{0, 1}, far{1, 3};
  for (const auto& [type, group, between] :
       {std::tuple("dragonfly", 2, 4), {"dragonfly+", 3, 4}, {"fat-tree", 3, 5}}) {
    Fabric fabric;
    fabric.type = type;
    EXPECT_EQ(switches_between(fabric, here, here), 1);
    EXPECT_EQ(switches_between(fabric, here, leaf), group) << type;
    EXPECT_EQ(switches_between(fabric, here, far), between) << type;
  }
}

/// Four groups: two others, of which each detour takes two links, so one pair's worth more.
TEST(Placement, AdaptiveRoutingTakesDetours) {
  Platform p = groups_of_six("packed");
  p.fabric.pair_bytes_per_s = 100;
  EXPECT_DOUBLE_EQ(bytes_per_s_between_groups(p), 100);
  p.fabric.adaptive = true;
  EXPECT_DOUBLE_EQ(bytes_per_s_between_groups(p), 200);
}

}  // namespace
}  // namespace foretile::placement_test
